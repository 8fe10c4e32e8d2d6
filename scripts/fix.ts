/** Repairs what can be repaired by a machine: lint, then formatting. */
import { spawnSync } from 'node:child_process'

for (const [command, ...args] of [
  ['oxlint', '--type-aware', '--fix'],
  ['oxfmt', '.'],
] as const) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exitCode = 1
}
