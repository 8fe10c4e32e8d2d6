import type { HostBackend } from '@x/interfaces'
import { endParts } from './parts.ts'

/** Forgets a chat that has ended, with its parts and events; false when there is none. */
export async function forgetChat(backend: HostBackend, id: string): Promise<boolean> {
  await endParts(backend, id)
  return await backend.store.delete(id)
}
