import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { rewriteLinks } from './absolute-links.ts'
import { buildFaults } from './packed-files.ts'
import { editInTar } from './tar.ts'
import { readPackages, repositoryUrl, root, type WorkspacePackage } from './workspace.ts'

/**
 * Empties a folder, packs every public package into it, and returns the tarballs by package name. Links of the READMEs
 * lead to the repository, at the tag of the version.
 */
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
  for (const each of packages) {
    const { name, manifest } = each
    const file = `${name.replace(/^@/, '').replace('/', '-')}-${manifest.version}.tgz`
    if (!files.includes(file))
      throw new Error(`\`${name}\` was not packed as \`${file}\` but as one of ${files.join(', ')}`)
    linkAbsolutely(join(folder, file), each)
    tarballs.set(name, join(folder, file))
  }
  return tarballs
}

/** Makes the links of a packed README absolute: in a registry and in `node_modules`, paths of the repository lead nowhere. */
function linkAbsolutely(tarball: string, { folder, manifest }: WorkspacePackage): void {
  const absolute = (link: string): string => {
    const [path = '', anchor] = link.split('#')
    const target = posix.join(folder, path)
    const kind = statSync(join(root, target)).isDirectory() ? 'tree' : 'blob'
    return `${repositoryUrl()}/${kind}/v${manifest.version}/${target}${anchor === undefined ? '' : `#${anchor}`}`
  }
  const edited = editInTar(gunzipSync(readFileSync(tarball)), 'package/README.md', (text) =>
    rewriteLinks(text, absolute),
  )
  writeFileSync(tarball, gzipSync(edited, { level: 9 }))
}
