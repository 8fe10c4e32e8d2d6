import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './workspace.ts'

const MAX_SOURCE_FILES = 3

/** Packages that the recipes change, and those that they import. */
const PACKAGES = ['interfaces', 'kernel', 'agent', 'exec']

/** The recipes of CONTRIBUTING.md that have code, each with a program that shows what the recipe adds. */
const RECIPES = {
  'A built-in reply function': {
    package: 'agent',
    program: `
      import { ConversableAgent } from '@x/agent'
      const agent = new ConversableAgent({ name: 'a', humanInputMode: 'NEVER', silent: true, echo: true })
      const plain = new ConversableAgent({ name: 'b', humanInputMode: 'NEVER', defaultAutoReply: 'no echo' })
      const messages = [{ role: 'user', content: 'Hello' }] as const
      const outcomes = [await agent.generateEchoReply({ messages }), agent.generateEchoReplySync({ messages })]
      const replies = [agent, plain].map((each) => each.generateReplySync({ messages, sender: plain }))
      // @ts-expect-error The option has another name.
      const misspelled = () => new ConversableAgent({ name: 'c', ecko: true })
      console.log(JSON.stringify([outcomes, replies, refusal(misspelled)]))
    `,
    prints: [
      [
        [true, 'Hello'],
        [true, 'Hello'],
      ],
      ['Hello', 'no echo'],
      expect.stringContaining('echo'),
    ],
  },
  'An event type': {
    package: 'agent',
    program: `
      import { ConversableAgent } from '@x/agent'
      import type { XEvent } from '@x/interfaces'
      const agent = new ConversableAgent({ name: 'a' })
      const events: XEvent[] = []
      const messages = [{ role: 'user', content: 'Hello' }] as const
      const emit = (event: XEvent) => void events.push(event)
      await agent.generateEchoReply({ messages, emit, events: { content: false } })
      // @ts-expect-error No event has this type.
      const isMisspelled = events.some((event) => event.type === 'ecko')
      console.log(JSON.stringify([events.flatMap((event) => (event.type === 'echoed' ? [[event.agent, event.text]] : [])), isMisspelled]))
    `,
    prints: [[['a', '']], false],
  },
  'An option of an operation': {
    package: 'agent',
    program: `
      import { ConversableAgent } from '@x/agent'
      const agent = new ConversableAgent({ name: 'a' })
      const [success, { content }] = agent.executeFunctionSync({ name: 'f' }, { fallback: 'nothing' })
      // @ts-expect-error The option has another name.
      const misspelled = () => agent.executeFunctionSync({ name: 'f' }, { falback: 'nothing' })
      const wrong = () => agent.executeFunctionSync({ name: 'f' }, { fallback: 1 as never })
      console.log(JSON.stringify([success, content, refusal(misspelled), refusal(wrong)]))
    `,
    prints: [false, 'nothing', expect.stringContaining('fallback'), expect.stringContaining('fallback')],
  },
  'An executor kind': {
    package: 'exec',
    program: `
      import { createCodeExecutor } from '@x/exec'
      await using executor = createCodeExecutor('jail', { trust: 'host' })
      const blocks = [{ language: 'sh', code: 'echo out' }]
      const results = [await executor.executeCodeBlocks(blocks), executor.executeCodeBlocksSync(blocks)]
      // @ts-expect-error No executor kind has this name.
      const misspelled = () => createCodeExecutor('jale')
      console.log(JSON.stringify([results.map(({ exitCode, output }) => [exitCode, output]), refusal(misspelled)]))
    `,
    prints: [
      [
        [0, 'out\n'],
        [0, 'out\n'],
      ],
      expect.stringContaining('`jail`'),
    ],
  },
}

/** The error of a program's call, for its output. */
const REFUSAL = `
function refusal(call: () => unknown): string {
  try {
    call()
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}
`

/** A block of code in a recipe: the file that it belongs to, and its place there. */
interface Block {
  readonly file: string
  /** Where the block goes: a new file, or next to a line or in its place. */
  readonly place: 'new' | 'below' | 'above' | 'instead of'
  readonly line: string
  readonly code: string
}

const BLOCK =
  /^ *<!-- code: (?<file>\S+) (?<place>new|below|above|instead of)(?: `(?<line>.+)`)? -->\n+(?<indent> *)```ts\n(?<code>[^]*?)\n *```$/gmu

/** Reads the blocks of a recipe of CONTRIBUTING.md, by the title of the recipe. */
function readBlocks(title: string): Block[] {
  const [, recipe = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(`\n### ${title}\n`)
  const [text = ''] = recipe.split(/\n##+ /u)
  return [...text.matchAll(BLOCK)].map(({ groups }) => {
    const { file = '', place, line = '', indent = '', code = '' } = groups!
    const lines = code.split('\n').map((each) => each.slice(indent.length))
    return { file, place: place as Block['place'], line, code: lines.join('\n') }
  })
}

const scratch = mkdtempSync(join(tmpdir(), 'x-recipes-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** Applies a block to the copy of the sources. */
function apply({ file, place, line, code }: Block): void {
  const path = join(scratch, file)
  if (place === 'new') {
    if (existsSync(path)) throw new Error(`a recipe adds \`${file}\`, which exists`)
    writeFileSync(path, `${code}\n`)
    return
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  const places = lines.flatMap((each, index) => (each.trim() === line ? [index] : []))
  if (places.length !== 1) throw new Error(`a recipe names a line that \`${file}\` has ${places.length} times: ${line}`)
  const [index = 0] = places
  const indent = ' '.repeat(lines[index]!.search(/\S/u))
  const added = code.split('\n').map((each) => (each ? indent + each : each))
  lines.splice(place === 'below' ? index + 1 : index, place === 'instead of' ? 1 : 0, ...added)
  writeFileSync(path, lines.join('\n'))
}

function copySources(): void {
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'))
  for (const name of PACKAGES) {
    const [from, to] = [join(root, 'packages', name), join(scratch, 'packages', name)]
    mkdirSync(to, { recursive: true })
    cpSync(join(from, 'package.json'), join(to, 'package.json'))
    cpSync(join(from, 'src'), join(to, 'src'), {
      recursive: true,
      filter: (path) => !/\.(?:test|fake|test-d)\.ts$/u.test(path),
    })
    // The links are relative: those to packages lead to the copies.
    if (existsSync(join(from, 'node_modules'))) {
      cpSync(join(from, 'node_modules'), join(to, 'node_modules'), { recursive: true, verbatimSymlinks: true })
    }
  }
}

const programOf = (name: string): string => `try-${name.toLowerCase().replaceAll(' ', '-')}.ts`

const run = promisify(execFile)

beforeAll(() => {
  copySources()
  for (const [title, recipe] of Object.entries(RECIPES)) {
    for (const block of readBlocks(title)) apply(block)
    writeFileSync(join(scratch, 'packages', recipe.package, programOf(title)), recipe.program + REFUSAL)
  }
  const compilerOptions = {
    noEmit: true,
    composite: false,
    allowImportingTsExtensions: true,
    isolatedDeclarations: false,
  }
  const include = ['packages/*/src/**/*.ts', 'packages/*/try-*.ts']
  const extended = join(root, 'tsconfig.base.json')
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ extends: extended, compilerOptions, include }))
})

it('type-checks with all recipes', async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const faults = run(process.execPath, [tsc, '-p', scratch]).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout?: string }).stdout || String(error),
  )
  expect(await faults).toBe('')
})

describe.each(Object.entries(RECIPES))('%s', (title, recipe) => {
  it(`touches at most ${MAX_SOURCE_FILES} source files, which the text names`, () => {
    const files = new Set(readBlocks(title).map(({ file }) => file))
    expect(files.size).toBeGreaterThan(0)
    expect(files.size).toBeLessThanOrEqual(MAX_SOURCE_FILES)
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    expect([...files].filter((file) => !text.includes(`\`${file}\``))).toEqual([])
  })

  it('works', async () => {
    const folder = join(scratch, 'packages', recipe.package)
    const flags = ['--conditions=@x/source', join(folder, programOf(title))]
    const { stdout } = await run(process.execPath, flags, { cwd: folder })
    expect(JSON.parse(stdout)).toEqual(recipe.prints)
  })
})
