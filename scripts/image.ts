/**
 * Builds the container image of the web example from this clone, after a build:
 *
 *   pnpm image [--base node:24-bookworm-slim] [--tag web-chat] [--engine podman]
 *
 * The engine is Podman, else Docker; `DOCKER_HOST` names another socket than its usual one.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { buildChatPage } from '../apps/web-chat/page/build.ts'
import { buildFaults } from './packed-files.ts'
import { readPackages, root } from './workspace.ts'

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'node:24-bookworm-slim' },
    tag: { type: 'string', default: 'web-chat' },
    engine: { type: 'string' },
  },
})
const faults = readPackages()
  .filter(({ manifest }) => !manifest.private)
  .flatMap(buildFaults)
if (faults.length > 0) {
  console.error(`cannot build the image: run \`pnpm build\`\n${faults.join('\n')}`)
  process.exit(1)
}
const engine = values.engine ?? ['podman', 'docker'].find((name) => spawnSync(name, ['--version']).status === 0)
if (engine === undefined) {
  console.error('cannot build the image: there is no `podman` and no `docker` on this machine')
  process.exit(1)
}
const context = join(root, '.cache/image')
rmSync(context, { recursive: true, force: true })
mkdirSync(join(context, 'data'), { recursive: true })
const run = (program: string, ...args: readonly string[]): void =>
  void execFileSync(program, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })

run('pnpm', '--filter=@x/web-chat', 'deploy', '--prod', join(context, 'app'))
// The packages are there; the code of the app and of other apps, which no package has, becomes a few files.
const apps = new Set(['@x/example-group'])
const bundle = await rolldown({
  input: Object.fromEntries(
    ['serve', 'work', 'main', 'deploy-check', 'forget'].map((name) => [
      name,
      join(root, `apps/web-chat/src/${name}.ts`),
    ]),
  ),
  external: (specifier) => !isAbsolute(specifier) && !specifier.startsWith('.') && !apps.has(specifier),
  platform: 'node',
  resolve: { conditionNames: ['@x/source', 'node', 'import'] },
})
await bundle.write({ dir: join(context, 'app/dist'), format: 'esm', chunkFileNames: '[name].js' })
await bundle.close()
const page = join(context, 'app/dist/page')
mkdirSync(page)
for (const [name, content] of await buildChatPage()) writeFileSync(join(page, name), content)
// Types, maps and sources are for developers: more than half of the bytes.
for (const each of readdirSync(join(context, 'app'), { recursive: true, withFileTypes: true }))
  if (each.isFile() && /\.(?:map|[cm]?ts|md)$/u.test(each.name))
    rmSync(join(each.parentPath, each.name), { force: true })
// Podman itself asks only its own socket.
const socket = process.env['DOCKER_HOST']
const remote = engine.endsWith('podman') && socket ? ['--url', socket] : []
const file = join(root, 'apps/web-chat/Containerfile')
// The format of Docker has health checks, that of OCI has none.
const format = engine.endsWith('podman') ? ['--format', 'docker'] : []
run(
  engine,
  ...remote,
  'build',
  ...format,
  '--build-arg',
  `BASE=${values.base}`,
  '--tag',
  values.tag,
  '--file',
  file,
  context,
)
