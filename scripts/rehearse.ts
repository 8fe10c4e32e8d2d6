/**
 * Rehearses releases with a registry on this machine: publishes the packages as `pnpm build` has left them, installs each of
 * them alone, makes the projects of `npm create`, publishes a second version made by a changeset, and installs packages of
 * both beside each other.
 *
 *   pnpm rehearse              takes about a minute
 *   pnpm rehearse --install    only installs the registry, into `.cache`
 *
 * The releases are made in a copy of the repository, so that nothing is changed here. The registry is verdaccio, which
 * 320 packages of 65 MB bring: npm installs it when it is needed, and `pnpm install` does not.
 */
import { execFile, execFileSync, fork, type ChildProcess } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { closureOf } from './closures.ts'
import { freePort } from './free-port.ts'
import { checkProjects } from './projects.ts'
import { entriesOf, isTestFile, readPackages, root, shortName } from './workspace.ts'

const REGISTRY_PACKAGE = 'verdaccio'
const REGISTRY_VERSION = '6.10.4'
/** Serves what is published here and nothing else, to everybody. */
const REGISTRY_CONFIG = {
  storage: './storage',
  uplinks: {},
  packages: { '**': { access: '$all', publish: '$all', unpublish: '$all' } },
  web: { enable: false },
  log: { type: 'stdout', format: 'pretty', level: 'error' },
}
/** What a release reads of the repository, targets of links included; `dist` of each package comes beside. */
const COPIED = [
  ':(glob)*',
  '.changeset',
  'apps/live',
  'apps/web-chat',
  'etc/live.json',
  'docs',
  'packages',
  'scripts',
  'templates',
]
/** Gates that a rehearsal leaves out: CI checks the same packages by steps of their own, and has no keys. */
const WAIVED = ['--waive', 'build,package,consumer', '--waive-live', 'rehearsal: no vendor is asked']
/** How many installs run at once. */
const INSTALLS_AT_ONCE = 2
/** A program with `@x/agent` of one version and `@x/model` and `@x/testing` of another, each with a kernel of its own. */
const MIXED_PROGRAM = `import { createAgent, isXError } from '@x/agent'
import { llmConfig } from '@x/model'
import { scriptedModel } from '@x/testing'
const agent = createAgent({ name: 'assistant', model: scriptedModel(['Yes.']) })
const { text } = await agent.run('Do versions meet?')
let known = false
try { llmConfig({ configList: [] }).createModel() } catch (error) { known = isXError(error, 'invalid-config') }
console.log(text, known)
`

/** A group of another version than its member. */
const MIXED_GROUP_PROGRAM = `import { AssistantAgent } from '@x/agent'
import { GroupChat } from '@x/group'
try { new GroupChat({ agents: [new AssistantAgent({ name: 'a' })] }) } catch (error) { console.log(error.message) }
`

const packages = readPackages().filter(({ manifest }) => !manifest.private)
const first = packages[0]!.manifest.version
const scope = packages[0]!.name.slice(0, packages[0]!.name.indexOf('/'))
const installed = join(root, '.cache', `${REGISTRY_PACKAGE}-${REGISTRY_VERSION}`)
installRegistry()
if (!process.argv.includes('--install')) await rehearse()

async function rehearse(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'rehearsal-'))
  const started = performance.now()
  let server: ChildProcess | undefined
  const passed = (what: string): void =>
    console.log(`ok  ${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
  try {
    const copy = join(scratch, 'repository')
    copyRepository(copy)
    const { registry, child } = await startRegistry(scratch)
    server = child
    const release = async (...args: string[]): Promise<string> =>
      await run(copy, 'node', ['scripts/release.ts', '--registry', registry, ...WAIVED, ...args])
    const refused = async (reason: string): Promise<void> => {
      const failed = await release('--publish').catch((error: Error) => error.message)
      expect(failed.includes(`refused: ${reason}`), `a release is refused (${reason}), and not:\n${failed}`)
    }

    await packIsRefused(copy)
    writeFileSync(join(copy, 'left.txt'), '')
    await refused('the tree has changes')
    rmSync(join(copy, 'left.txt'))
    const plan = await release()
    expect(plan.includes('live waived by rehearsal: '), `the plan tells who waived the vendors:\n${plan}`)
    expect(plan.includes('nothing is published'), `a dry run publishes nothing:\n${plan}`)
    expect((await versionsOf(registry, packages[0]!.name)).length === 0, 'a dry run leaves the registry empty')
    passed('a release is planned, and refused where something is missing')

    await release('--publish')
    // As if the publish of the last package had failed.
    const last = 'kit'
    await unpublish(registry, `${scope}/${last}`)
    git(copy, 'tag', '--delete', `v${first}`)
    const resumed = await release('--publish')
    expect(resumed.match(/Published package/gu)?.length === 1, `a broken release goes on where it ended:\n${resumed}`)
    expect(git(copy, 'tag') === `v${first}`, 'the commit is tagged')
    passed(`${packages.length} packages are published as ${first}, the last one in a second try`)

    await installAlone(scratch, registry)
    passed('each is installed alone, with what it needs and nothing else, and imported or called')

    const count = await makeProjects(scratch, registry)
    passed(`${count} projects of \`npm create\` are formatted and typed, pass their tests, and start without a key`)

    const next = await makeNext(copy)
    await release('--publish')
    for (const { name } of packages)
      expect((await versionsOf(registry, name)).join() === `${first},${next}`, `${name} has two versions`)
    passed(`a changeset makes ${next}, with its section of the changelog`)

    await upgradePartly(scratch, registry, next)
    passed(`packages of ${first} and ${next} work together, and an upgrade leaves one version`)
  } finally {
    server?.kill()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Copies what a release needs into a repository of its own, whose packages find each other and not those here. */
function copyRepository(copy: string): void {
  const tracked = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...COPIED],
    { cwd: root, encoding: 'utf8' },
  )
    .split('\0')
    .filter(Boolean)
  for (const file of tracked.filter((each) => !isTestFile(each) && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
  for (const { folder } of packages) cpSync(join(root, folder, 'dist'), join(copy, folder, 'dist'), { recursive: true })
  writeFileSync(join(copy, '.gitignore'), 'node_modules\ndist\n.cache\n.npmrc\n')
  git(copy, 'init', '--quiet', '--initial-branch', 'main')
  for (const [key, value] of [
    ['user.name', 'rehearsal'],
    ['user.email', 'rehearsal@localhost'],
    ['commit.gpgsign', 'false'],
    ['tag.gpgsign', 'false'],
  ] as const)
    git(copy, 'config', key, value)
  commit(copy, 'Begin')
}

/** Takes a file of a build away, and expects that `pnpm pack` in the folder of the package names it. */
async function packIsRefused(copy: string): Promise<void> {
  const folder = join(copy, packages[0]!.folder)
  const file = join(folder, 'dist/index.js')
  renameSync(file, `${file}.away`)
  const failure = await run(folder, 'pnpm', ['pack', '--pack-destination', tmpdir()]).catch(
    (error: Error) => error.message,
  )
  expect(failure.includes('dist/index.js is missing'), `an unfinished package is not packed:\n${failure}`)
  renameSync(`${file}.away`, file)
}

/** Installs each package into an empty project, and imports all of its entries. */
async function installAlone(scratch: string, registry: string): Promise<void> {
  const waiting = [...packages]
  const work = async (): Promise<void> => {
    for (let each = waiting.shift(); each; each = waiting.shift()) {
      const project = makeProject(join(scratch, `alone-${shortName(each.name)}`), registry)
      // In a tenth of the time of npm, which tries the one that most people begin with.
      const byNpm = shortName(each.name) === 'agent'
      if (byNpm) await npm(project, each.name)
      else await run(project, 'pnpm', ['add', '--ignore-scripts', each.name])
      const found = byNpm
        ? readdirSync(join(project, 'node_modules', scope))
        : readdirSync(join(project, 'node_modules/.pnpm'))
            .filter((folder) => folder.startsWith(`${scope}+`))
            .map((folder) => folder.slice(scope.length + 1).split('@')[0]!)
      const expected = [each.name, ...closureOf(each).ours].map(shortName).toSorted()
      expect(
        found.toSorted().join() === expected.join(),
        `${each.name} brings ${expected.join(', ')} of ours, and not ${found.join(', ')}`,
      )
      const entries = Object.keys(entriesOf(each)).map((entry) => posix.join(each.name, entry))
      const program = entries.map((entry) => `import ${JSON.stringify(entry)}`).join('\n')
      await run(project, 'node', ['--input-type=module', '--eval', program])
      for (const command of Object.keys(each.manifest.bin ?? {})) {
        const version = (await run(project, 'pnpm', ['exec', command, '--version'])).trim()
        expect(version === first, `\`${command}\` of ${each.name} has the version ${first}, and not ${version}`)
      }
    }
  }
  await Promise.all(Array.from({ length: INSTALLS_AT_ONCE }, work))
}

/** Makes a project as a person does, and those of all answers; returns how many. */
async function makeProjects(scratch: string, registry: string): Promise<number> {
  const home = makeProject(join(scratch, 'projects'), registry)
  const count = await checkProjects(home, scope, run)
  // Its packages are those of the folder above.
  const said = await run(home, 'npm', ['create', '--yes', `${scope}@latest`, 'my-agent', '--', '--yes'])
  expect(said.includes('cd my-agent'), `\`npm create\` says what to do next, and not:\n${said}`)
  for (const script of ['check', 'test']) await run(join(home, 'my-agent'), 'npm', ['run', script])
  return count + 1
}

/** Makes the next version of a changeset, and returns it. */
async function makeNext(copy: string): Promise<string> {
  const text = 'A rehearsal is announced.'
  writeFileSync(join(copy, '.changeset/rehearsed.md'), `---\n'${scope}/agent': minor\n---\n\n${text}\n`)
  commit(copy, 'Announce a rehearsal')
  await run(copy, 'node', ['scripts/release.ts', '--next'])
  const { version } = JSON.parse(readFileSync(join(copy, 'packages/agent/package.json'), 'utf8')) as { version: string }
  const changelog = readFileSync(join(copy, 'CHANGELOG.md'), 'utf8')
  const [, section = ''] = changelog.split(`\n## ${version} (`)
  expect(
    section.split('\n## ')[0]!.includes(`\`${scope}/agent\`: ${text}`),
    `the changelog tells what is new:\n${changelog.slice(0, 1000)}`,
  )
  expect(!existsSync(join(copy, '.changeset/rehearsed.md')), 'the changeset is used up')
  // Sources that name their version have changed.
  await run(copy, 'node', ['scripts/bundle-packages.ts'])
  commit(copy, `Make ${version}`)
  return version
}

/** Installs packages of two versions beside each other, and then all of the second. */
async function upgradePartly(scratch: string, registry: string, next: string): Promise<void> {
  const project = makeProject(join(scratch, 'partly'), registry)
  const newer = ['model', 'testing', 'group'].map((name) => `${scope}/${name}@${next}`)
  await npm(project, `${scope}/agent@${first}`, ...newer)
  writeFileSync(join(project, 'mixed.mjs'), MIXED_PROGRAM.replaceAll('@x/', `${scope}/`))
  const printed = await run(project, 'node', ['mixed.mjs'])
  expect(printed === 'Yes. true\n', `the program prints an answer and knows an error, and not:\n${printed}`)
  writeFileSync(join(project, 'group.mjs'), MIXED_GROUP_PROGRAM.replaceAll('@x/', `${scope}/`))
  const refusal = await run(project, 'node', ['group.mjs'])
  expect(
    refusal.includes(`another copy of \`${scope}/agent\``),
    `a group refuses a member of another copy:\n${refusal}`,
  )
  await npm(project, `${scope}/agent@latest`)
  expect((await run(project, 'node', ['mixed.mjs'])) === 'Yes. true\n', 'the program works as before')
  const lock = readFileSync(join(project, 'package-lock.json'), 'utf8')
  expect(!lock.includes(`-${first}.tgz`), `nothing of ${first} is left behind`)
}

function makeProject(folder: string, registry: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(join(folder, '.npmrc'), `${scope}:registry=${registry}\n`)
  return folder
}

async function npm(project: string, ...names: string[]): Promise<void> {
  await run(project, 'npm', ['install', '--no-audit', '--no-fund', '--no-progress', '--ignore-scripts', ...names])
}

/** Starts the registry on a free port. */
async function startRegistry(scratch: string): Promise<{ readonly registry: string; readonly child: ChildProcess }> {
  const config = join(scratch, 'registry.yaml')
  // YAML contains JSON.
  writeFileSync(config, JSON.stringify(REGISTRY_CONFIG))
  const port = await freePort()
  const child = fork(
    join(installed, 'node_modules', REGISTRY_PACKAGE, 'bin', REGISTRY_PACKAGE),
    ['--config', config, '--listen', `127.0.0.1:${port}`],
    {
      cwd: scratch,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    },
  )
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${REGISTRY_PACKAGE} ended with ${code}`)
  })
  await Promise.race([once(child, 'message'), ended])
  const registry = `http://127.0.0.1:${port}/`
  // Any token will do, and clients want one.
  writeFileSync(join(scratch, 'repository/.npmrc'), `//127.0.0.1:${port}/:_authToken=any\n`)
  return { registry, child }
}

/** Installs the registry once. `node-fetch` is pinned since it is asked for by a tag, which some mirrors do not have. */
function installRegistry(): void {
  if (existsSync(join(installed, 'node_modules', REGISTRY_PACKAGE))) return
  mkdirSync(installed, { recursive: true })
  const manifest = {
    private: true,
    dependencies: { [REGISTRY_PACKAGE]: REGISTRY_VERSION },
    overrides: { 'node-fetch': '2.7.0' },
  }
  writeFileSync(join(installed, 'package.json'), JSON.stringify(manifest))
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  execFileSync('npm', ['install', ...flags], { cwd: installed, stdio: 'inherit', shell: process.platform === 'win32' })
}

async function versionsOf(registry: string, name: string): Promise<string[]> {
  const response = await fetch(`${registry}${name.replace('/', '%2f')}`)
  const { versions = {} } = response.ok ? ((await response.json()) as { versions?: object }) : {}
  return Object.keys(versions)
}

async function unpublish(registry: string, name: string): Promise<void> {
  const response = await fetch(`${registry}${name.replace('/', '%2f')}/-rev/any`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer any' },
  })
  expect(response.ok, `${name} is taken back: ${response.status}`)
}

function commit(copy: string, subject: string): void {
  git(copy, 'add', '--all')
  git(copy, 'commit', '--quiet', '--message', subject)
}

function git(copy: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

/** Runs a command and returns its output; throws with all that it printed when it fails. */
async function run(cwd: string, command: string, args: readonly string[]): Promise<string> {
  // The copy shares `node_modules`, into which nobody may install.
  const env = { ...process.env, npm_config_verify_deps_before_run: 'false' }
  try {
    return (await promisify(execFile)(command, args, { cwd, env, shell: process.platform === 'win32' })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`\`${command} ${args.join(' ')}\` failed:\n${stdout}${stderr}`, { cause: error })
  }
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the rehearsal failed: ${what}`)
}
