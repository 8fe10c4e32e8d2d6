/**
 * Runs the benches: every file `bench/main.ts` of a package or app, and `hops`, one after the other.
 *
 *   pnpm bench [name ...] [-- argument ...]   only the benches of these names; what follows `--` goes to the bench
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readApps, readPackages, root, shortName } from './workspace.ts'

const benches = new Map([
  ['hops', 'apps/composition/bench/hops.ts'],
  ['otel', 'apps/composition/bench/otel.ts'],
  ['records', 'apps/composition/bench/records.ts'],
])
for (const { name, folder } of [...readPackages(), ...readApps()]) {
  const file = `${folder}/bench/main.ts`
  if (existsSync(join(root, file))) benches.set(shortName(name), file)
}
const separator = process.argv.indexOf('--')
const end = separator === -1 ? process.argv.length : separator
const names = process.argv.slice(2, end)
const unknown = names.find((name) => !benches.has(name))
if (unknown) throw new Error(`cannot run the bench \`${unknown}\`: the benches are ${[...benches.keys()].join(', ')}`)
for (const [name, file] of benches) {
  if (names.length > 0 && !names.includes(name)) continue
  console.log(`\n# ${name}\n`)
  const args = [...process.execArgv, join(root, file), ...process.argv.slice(end + 1)]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
