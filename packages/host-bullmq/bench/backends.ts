import { sqlite } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { postgres, redis } from '../src/index.ts'

/** Opens the backend of an address, each time another. */
export function openBackend(url: string): HostBackend {
  if (url.startsWith('redis:')) return redis(url)
  return url.startsWith('postgres:') ? postgres(url) : sqlite(url)
}
