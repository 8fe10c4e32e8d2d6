import { sqlite } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { postgres, redis } from '../src/index.ts'

/** Opens a new backend for a URL or path. */
export function openBackend(url: string): HostBackend {
  if (url.startsWith('redis:')) return redis(url)
  return url.startsWith('postgres:') ? postgres(url) : sqlite(url)
}
