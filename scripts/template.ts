/** Installs, tests and builds each starter in a folder of its own, with the packed tarballs. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from './pack.ts'
import { root } from './workspace.ts'

const folder = mkdtempSync(join(tmpdir(), 'templates-'))
const shell = process.platform === 'win32'
try {
  const tarballs = pack(join(folder, 'tarballs'))
  // A failure does not stop the others.
  for (const name of readdirSync(join(root, 'templates'))) if (!works(name, tarballs)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function works(name: string, tarballs: ReadonlyMap<string, string>): boolean {
  console.log(`templates/${name}`)
  const home = join(folder, name)
  cpSync(join(root, 'templates', name), home, { recursive: true })
  const file = join(home, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
  const ours = Object.fromEntries([...tarballs].map(([each, path]) => [each, `file:${path}`]))
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies']) {
    for (const each of Object.keys(manifest[kind] ?? {})) if (ours[each]) manifest[kind]![each] = ours[each]
  }
  // Our packages find each other in the tarballs, not in a registry.
  writeFileSync(file, JSON.stringify({ ...manifest, overrides: ours }, null, 2))
  return [['install', '--no-audit', '--no-fund'], ['test'], ['run', 'build']].every(
    (args) => spawnSync('npm', args, { cwd: home, stdio: 'inherit', shell }).status === 0,
  )
}
