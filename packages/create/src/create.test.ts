import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULTS, KIND_NAMES, PROVIDER_NAMES, type Choices } from './choices.ts'
import { createCommand, type CreateContext } from './create.ts'
import { projectFiles } from './project.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'create-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** Runs the command with these words, and returns what it wrote and asked; fails with its error. */
async function create(words: string | readonly string[], context: Partial<CreateContext> = {}) {
  const written: string[] = []
  const command = createCommand({
    ...{ cwd, ask: undefined, node: '22.19.0', manager: 'npm' },
    write: (text) => void written.push(text),
    ...context,
  })
  command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: (text) => void written.push(text) })
  try {
    await command.parseAsync(typeof words === 'string' ? words.split(' ').filter(Boolean) : words, { from: 'user' })
  } catch {
    throw new Error(written.join(''))
  }
  return written.join('')
}

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(cwd, folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly scripts: Record<string, string>
    readonly dependencies: Record<string, string>
    readonly devDependencies: Record<string, string>
  }

/** All combinations of answers. */
const ALL: Choices[] = PROVIDER_NAMES.flatMap((provider) =>
  KIND_NAMES.flatMap((kind) =>
    [true, false].flatMap((tests) => [true, false].map((typescript) => ({ provider, kind, tests, typescript }))),
  ),
)

describe('create', () => {
  it.each<[string, Partial<Choices>]>([
    ['--yes', {}],
    ['--yes --provider google', { provider: 'google' }],
    ['--yes --kind search --no-tests', { kind: 'search', tests: false }],
    ['-y --javascript', { typescript: false }],
    [
      '--provider simulated --kind group --tests --javascript',
      { provider: 'simulated', kind: 'group', typescript: false },
    ],
    ['--provider openai --kind chat --no-tests --typescript', { tests: false }],
  ])('%s asks nothing', async (flags, changes) => {
    await create(`app ${flags}`)
    const wanted = projectFiles('app', { ...DEFAULTS, ...changes })
    const made = readdirSync(join(cwd, 'app'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(cwd.length + '/app/'.length))
    expect(made.toSorted()).toEqual([...wanted.keys()].toSorted())
    for (const [file, text] of wanted) expect(readFileSync(join(cwd, 'app', file), 'utf8')).toBe(text)
  })

  it('asks what no flag has answered', async () => {
    const asked: Partial<Choices>[] = []
    const ask = async (given: Partial<Choices>): Promise<Choices> => {
      asked.push(given)
      return await Promise.resolve({ ...DEFAULTS, kind: 'search', ...given })
    }
    await create('one --provider google --no-tests', { ask })
    await create('two', { ask })
    expect(asked).toEqual([{ provider: 'google', tests: false }, {}])
    expect(Object.keys(manifestOf('one').scripts)).not.toContain('test')
    expect(Object.keys(manifestOf('two').dependencies)).toContain('@x/reasoning')
  })

  it('says what to do next, and does none of it', async () => {
    expect(await create('apps/one --yes')).toContain('Next:\n\n  cd apps/one\n  npm install\n  npm start\n')
    mkdirSync(join(cwd, 'here/.git'), { recursive: true })
    const said = await create('. --yes', { cwd: join(cwd, 'here'), manager: 'pnpm' })
    expect(said).toContain('Next:\n\n  pnpm install\n  pnpm start\n')
    expect(manifestOf('here').name).toBe('here')
    expect(await create('--yes')).toContain('cd my-agent\n')
    expect(readdirSync(join(cwd, 'my-agent'))).not.toContain('node_modules')
    expect(readdirSync(join(cwd, 'my-agent'))).not.toContain('.git')
    expect(await create(['My work/three', '--yes'])).toContain('cd "My work/three"\n')
  })

  it.each<[string, Partial<Choices>]>([
    ['openai-bot', { provider: 'anthropic' }],
    ['gpt-5-mini', { provider: 'google' }],
    ['my.ts', { typescript: false }],
  ])('calls the project %s by its name', (name, changes) => {
    const files = projectFiles(name, { ...DEFAULTS, ...changes })
    expect(JSON.parse(files.get('package.json')!)).toMatchObject({ name })
    expect(files.get('README.md')!.split('\n')[0]).toBe(`# ${name}`)
  })

  it.each([
    ['full --yes', 'cannot make a project in `full`: it is not empty; name a new folder'],
    ['full/file --yes', 'cannot make a project in `full/file`: it is a file'],
    ['full/file/app --yes', 'cannot make a project in `full/file/app`: ENOTDIR'],
    ['node_modules --yes', 'cannot make a project in `node_modules`: packages are installed there'],
    ['My-Agent --yes', '`My-Agent` cannot be the name of a package; use lower-case letters'],
    ['_agent --yes', '`_agent` cannot be the name of a package'],
    [
      'app --provider nobody',
      "option '--provider <name>' argument 'nobody' is invalid. Allowed choices are simulated,",
    ],
    ['app --kind page', "argument 'page' is invalid. Allowed choices are chat, endpoint, group, search."],
    ['app --kinds chat', "unknown option '--kinds'\n(Did you mean --kind?)"],
    ['app --typescript --javascript', "option '--typescript' cannot be used with option '--javascript'"],
    ['app other --yes', 'too many arguments'],
    ['app --kind chat', 'nobody can be asked here: give `--yes`, or `--provider`'],
  ])('refuses %s', async (words, message) => {
    mkdirSync(join(cwd, 'full'))
    writeFileSync(join(cwd, 'full/file'), '')
    await expect(create(words)).rejects.toThrow(message)
    expect(readdirSync(cwd)).toEqual(['full'])
  })
})

it.each(['22.18.1', '20.19.0'])('refuses Node %s', async (node) => {
  await expect(create('app --yes', { node })).rejects.toThrow(`this is Node ${node}: a project needs Node 22.19`)
})

describe('a project', () => {
  it('is formatted, whatever was answered', () => {
    for (const choices of ALL) {
      const { provider, kind, tests, typescript } = choices
      const folder = join(cwd, [provider, kind, tests, typescript].join('-'))
      mkdirSync(join(folder, 'src'), { recursive: true })
      for (const [file, text] of projectFiles('my-agent', choices)) writeFileSync(join(folder, file), text)
    }
    const oxfmt = join(createRequire(import.meta.url).resolve('oxfmt/package.json'), '../bin/oxfmt')
    execFileSync(process.execPath, [oxfmt, '--check', '.'], { cwd, stdio: 'pipe' })
  })

  it.each(ALL)('of $provider, $kind, tests $tests, TypeScript $typescript has what it names', (choices) => {
    const files = projectFiles('my-agent', choices)
    const text = [...files.values()].join('\n')
    expect(text).not.toMatch(/<!-- |\n\n\n|\bundefined\b/u)
    // Every file that a document or a script names is there, and every file is imported, run or named.
    const named = new Set([...text.matchAll(/\bsrc\/[\w.]*\w/gu)].map(([file]) => file))
    const sources = [...files.keys()].filter((file) => file.startsWith('src/'))
    expect([...named].toSorted()).toEqual(sources.toSorted())
    expect(sources.filter((file) => file.endsWith(choices.typescript ? '.js' : '.ts'))).toEqual([])
    expect(sources.some((file) => file.includes('.test.'))).toBe(choices.tests)
    expect(files.has('.env.example')).toBe(choices.provider !== 'simulated')
    expect(files.has('tsconfig.json')).toBe(choices.typescript)
    for (const other of ['openai', 'anthropic', 'google'].filter((each) => each !== choices.provider))
      if (choices.provider !== 'simulated') expect(text.toLowerCase()).not.toContain(other)
  })

  it('needs the packages that it imports, in the versions of this one', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      readonly version: string
    }
    const catalog = readFileSync(new URL('../../../pnpm-workspace.yaml', import.meta.url), 'utf8')
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(new URL('../templates/project/package.json', import.meta.url), 'utf8'),
    ) as { readonly [kind: string]: Record<string, string> }
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      const pinned = new RegExp(`^  '?${name}'?: \\^?(.+)$`, 'mu').exec(catalog)?.[1]
      expect([name, range]).toEqual([name, `^${pinned ?? version}`])
    }
    const needed = ALL.map((choices) => JSON.parse(projectFiles('my-agent', choices).get('package.json')!) as object)
    expect(needed.find((_, at) => ALL[at]!.kind === 'group' && !ALL[at]!.tests && !ALL[at]!.typescript)).toMatchObject({
      scripts: { start: 'node --env-file-if-exists=.env src/main.js', check: 'oxfmt --check .' },
      dependencies: { '@x/group': `^${version}`, '@x/kit': `^${version}`, '@x/testing': `^${version}` },
      devDependencies: { oxfmt: expect.any(String) as string },
    })
  })
})
