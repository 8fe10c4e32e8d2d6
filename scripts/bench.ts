/**
 * Runs the benches: every file `bench/main.ts` of a package or app, one after the other.
 *
 *   pnpm bench [name ...] [-- argument ...]   only those packages; what follows `--` goes to the bench
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readApps, readPackages, root, shortName } from './workspace.ts'

const separator = process.argv.indexOf('--')
const end = separator === -1 ? process.argv.length : separator
const names = process.argv.slice(2, end)
const benches = [...readPackages(), ...readApps()].filter(({ folder }) =>
  existsSync(join(root, folder, 'bench/main.ts')),
)
const unknown = names.find((name) => benches.every((each) => shortName(each.name) !== name))
if (unknown) {
  throw new Error(`no bench of \`${unknown}\`: there are ${benches.map((each) => shortName(each.name)).join(', ')}`)
}
for (const { name, folder } of benches) {
  if (names.length > 0 && !names.includes(shortName(name))) continue
  console.log(`\n# ${name}\n`)
  const bench = spawnSync(
    process.execPath,
    [...process.execArgv, join(root, folder, 'bench/main.ts'), ...process.argv.slice(end + 1)],
    { stdio: 'inherit' },
  )
  if (bench.status !== 0) process.exitCode = 1
}
