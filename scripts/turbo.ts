import { spawnSync } from 'node:child_process'

/** Runs turbo with its telemetry off, in every shell alike, and gives its exit code. */
export function turbo(...args: string[]): number {
  const { status, error } = spawnSync('turbo', args, {
    stdio: 'inherit',
    // Windows starts a package's command through a shell only.
    shell: process.platform === 'win32',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
  })
  if (error) throw error
  return status ?? 1
}
