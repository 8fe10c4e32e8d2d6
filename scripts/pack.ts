import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildFaults } from './packed-files.ts'
import { readPackages, root } from './workspace.ts'

/** Empties a folder, packs every public package into it, and returns the tarballs by package name. */
export function pack(folder: string): Map<string, string> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const packages = readPackages().filter(({ manifest }) => !manifest.private)
  const faults = packages.flatMap((each) => buildFaults(each).map((fault) => `${each.name}: ${fault}`))
  if (faults.length > 0) throw new Error(`cannot pack the packages: run \`pnpm build\`\n${faults.join('\n')}`)
  const filters = packages.map(({ name }) => `--filter=${name}`)
  const { status, stdout, stderr, error } = spawnSync(
    'pnpm',
    // The script `prepack` would look for the same faults again, in a process for each package.
    [...filters, '-r', 'pack', '--config.ignore-scripts=true', '--pack-destination', folder],
    {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  )
  if (error || status !== 0) throw new Error(`cannot pack the packages: ${error?.message ?? `${stdout}${stderr}`}`)
  const files = readdirSync(folder)
  const tarballs = new Map<string, string>()
  for (const { name, manifest } of packages) {
    const file = `${name.replace(/^@/, '').replace('/', '-')}-${manifest.version}.tgz`
    if (!files.includes(file))
      throw new Error(`\`${name}\` was not packed as \`${file}\` but as one of ${files.join(', ')}`)
    tarballs.set(name, join(folder, file))
  }
  return tarballs
}
