/** Installs the starter for providers from packed tarballs in a folder of its own, tests it there and builds it. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from './pack.ts'
import { root } from './workspace.ts'

const folder = mkdtempSync(join(tmpdir(), 'provider-'))
const shell = process.platform === 'win32'
try {
  const tarballs = pack(join(folder, 'tarballs'))
  const home = join(folder, 'x-provider-acme')
  cpSync(join(root, 'templates/provider'), home, { recursive: true })
  const file = join(home, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
  const ours = Object.fromEntries([...tarballs].map(([name, path]) => [name, `file:${path}`]))
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies']) {
    for (const name of Object.keys(manifest[kind] ?? {})) if (ours[name]) manifest[kind]![name] = ours[name]
  }
  // What our packages need of each other is not in a registry either.
  writeFileSync(file, JSON.stringify({ ...manifest, overrides: ours }, null, 2))
  for (const args of [['install', '--no-audit', '--no-fund'], ['test'], ['run', 'build']]) {
    const { status } = spawnSync('npm', args, { cwd: home, stdio: 'inherit', shell })
    if (status !== 0) {
      process.exitCode = 1
      break
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
