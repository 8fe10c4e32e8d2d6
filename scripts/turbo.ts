import { spawnSync } from 'node:child_process'

/** Runs turbo without telemetry and returns the exit code. */
export function turbo(...args: string[]): number {
  const { status, error } = spawnSync('turbo', args, {
    stdio: 'inherit',
    // Windows starts the command of a package only through a shell.
    shell: process.platform === 'win32',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
  })
  if (error) throw error
  return status ?? 1
}
