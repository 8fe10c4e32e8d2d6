import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { executorMatrix, python, sh } from '../executor-matrix.fake.ts'

// Files on which programs of the user act by themselves: what code leaves there would run outside of the sandbox.
const EXISTING = [
  ...['package.json', 'packages/a/package.json', 'node_modules/dep/index.js', 'node_modules/dep/package.json'],
  ...['packages/a/node_modules/.bin/tsc', '.github/workflows/ci.yml', '.envrc', 'Makefile', '.gitmodules'],
  ...['.claude/settings.json', '.mcp.json'],
]
const MADE = [
  ...['.cursor/mcp.json', '.idea/workspace.xml', '.devcontainer/devcontainer.json', '.pnpmfile.cjs', '.yarnrc.yml'],
  ...['.pre-commit-config.yaml', 'lefthook.yml', '.mise.toml', '.bashrc', '.profile', '.gitconfig', 'conftest.py'],
  ...['sitecustomize.py', 'CLAUDE.md', 'AGENTS.md', '.zed/settings.json', '.vimrc', '.nvmrc', 'bunfig.toml'],
  ...['deno.json', '.env', 'docker-compose.override.yml', '.git/hooks/pre-commit', '.git/config', '.husky/pre-commit'],
  ...['.vscode/tasks.json', '.npmrc', 'packages/a/.npmrc', 'node_modules/.bin/x', 'packages/a/.vscode/tasks.json'],
  ...['.GIT/config', 'Package.json', 'vite.config.ts', 'sub/setup.py', 'lib/site-packages/x.pth', 'bare/HEAD'],
  ...['bare/config', 'bare/hooks/post-checkout', 'packages/.git', '.gitattributes', 'Dockerfile', 'deep/er/Makefile'],
]
/** Names that a process in WebAssembly cannot send at all. */
const INVISIBLE = ['.git\u200C/config', '.g\u2060it/hooks/x', 'package\u00AD.json', '\uFEFF.npmrc']

let workDir: string
beforeEach(() => {
  workDir = realpathSync(mkdtempSync(join(tmpdir(), 'x-given-')))
  execFileSync('git', ['init', '-q', workDir])
  for (const name of EXISTING) put(name, 'mine')
})
afterEach(() => rmSync(workDir, { recursive: true }))

const put = (name: string, text: string): void => {
  mkdirSync(dirname(join(workDir, name)), { recursive: true })
  writeFileSync(join(workDir, name), text)
}
const read = (name: string): string => readFileSync(join(workDir, name), 'utf8')

/** Python that writes texts to files; a text of null removes the file. */
const write = (files: Record<string, string | null>): { language: string; code: string } =>
  python(`
import json, os
for name, text in json.loads(${JSON.stringify(JSON.stringify(files))}).items():
  try:
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    if text is None: os.remove(name)
    else: open(name, "w").write(text)
  except OSError as error: print(name, error)
`)

const matrix = await executorMatrix(['bubblewrap', 'unshare', 'pyodide'])
describe.each(matrix)('$kind in a directory of the user', ({ kind, missing, create }) => {
  const test = it.skipIf(missing !== null)
  const testLinks = it.skipIf(missing !== null || kind === 'pyodide')
  // `unshare` has the copy of bubblewrap, and Python in WebAssembly one of its own.
  const testCopy = it.skipIf(missing !== null || kind === 'unshare')
  const testOnce = it.skipIf(missing !== null || kind !== 'bubblewrap')

  test('leaves nothing that tools of the user run', async () => {
    const targets = [...EXISTING, ...MADE, ...INVISIBLE]
    await using executor = create({ workDir })
    const { exitCode, changes } = await executor.executeCodeBlocks([
      write(Object.fromEntries([...targets, 'src/index.ts'].map((name) => [name, 'EVIL']))),
    ])
    expect([exitCode, read('src/index.ts')]).toEqual([0, 'EVIL'])
    const left = targets.filter((name) => existsSync(join(workDir, name)) && read(name) === 'EVIL')
    expect(left).toEqual([])
    const held = changes!.filter((change) => change.held !== undefined).map(({ name }) => name)
    expect(held).toEqual(expect.arrayContaining([...EXISTING, ...MADE]))
    expect(changes).toContainEqual({ name: 'src/index.ts', kind: 'added', entry: 'file' })
  })

  testCopy('sees in later blocks what was held back, and tells what it is', async () => {
    await using executor = create({ workDir })
    const first = await executor.executeCodeBlocks([
      write({ 'package.json': 'its', 'node_modules/dep/index.js': null, 'a.txt': 'its' }),
    ])
    expect(first.output).toContain('"package.json" changed: package managers run its scripts')
    const second = await executor.executeCodeBlocks([
      python('import os\nprint(open("package.json").read(), os.path.exists("node_modules/dep/index.js"))'),
    ])
    expect(second.output).toBe('its False\n')
    expect([read('package.json'), read('node_modules/dep/index.js'), read('a.txt')]).toEqual(['mine', 'mine', 'its'])
    // What the user writes goes before it.
    put('package.json', 'newer text')
    const third = await executor.executeCodeBlocks([python('print(open("package.json").read())')])
    expect(third.output).toBe('newer text\n')
  })

  testOnce('brings back marked files that `writable` names, or all with `apply`', async () => {
    const edits = write({ 'packages/a/package.json': 'its', 'package.json': 'its', Makefile: 'its' })
    await using named = create({ workDir, writable: ['packages/a/package.json'] })
    await named.executeCodeBlocks([edits])
    expect([read('packages/a/package.json'), read('package.json'), read('Makefile')]).toEqual(['its', 'mine', 'mine'])
    await using all = create({ workDir, apply: 'all' })
    const { changes } = await all.executeCodeBlocks([edits])
    expect([read('package.json'), read('Makefile')]).toEqual(['its', 'its'])
    expect(changes!.find(({ name }) => name === 'Makefile')).toMatchObject({
      kind: 'changed',
      risk: 'build tools run it',
    })
  })

  testCopy('brings back what a function chooses, which sees the changes and their lines', async () => {
    put('Makefile', 'all:\n')
    const asked: { names: string[]; diff: string }[] = []
    await using executor = create({
      workDir,
      apply: ({ changes, diff }) => {
        asked.push({ names: changes.map(({ name }) => name), diff })
        return asked.length === 1 ? ['package.json', 'a.txt'] : 'none'
      },
    })
    const edits = write({ 'package.json': 'its', 'a.txt': 'its', 'b.txt': 'its', Makefile: 'all: evil' })
    const { output } = await executor.executeCodeBlocks([edits])
    expect(asked[0]!.names.toSorted()).toEqual(['Makefile', 'a.txt', 'b.txt', 'package.json'])
    expect(asked[0]!.diff).toMatch(/^4 changes, 2 with a risk \(!\):\n! /u)
    expect(asked[0]!.diff).toContain('-all:\n+all: evil\n')
    expect([read('package.json'), read('a.txt'), read('Makefile')]).toEqual(['its', 'its', 'all:\n'])
    expect(existsSync(join(workDir, 'b.txt'))).toBe(false)
    expect(output).toContain('"b.txt" added: it was not allowed')
    // Nothing new: nobody is asked, and what was not chosen is still there for code.
    const second = await executor.executeCodeBlocks([python('print(open("b.txt").read())')])
    expect([second.output, asked.length]).toEqual(['its\n', 1])
  })

  testCopy('asks the caller of an execution, and nobody with `ask` where there is none', async () => {
    const edit = write({ 'a.txt': 'its' })
    await using asking = create({ workDir, apply: 'ask' })
    const { output } = await asking.executeCodeBlocks([edit])
    expect([output, existsSync(join(workDir, 'a.txt'))]).toEqual([
      expect.stringContaining('"a.txt" added: nobody was there to allow it'),
      false,
    ])
    await using standard = create({ workDir })
    const { changes } = await standard.executeCodeBlocks([edit], {
      chooseChanges: () => Promise.resolve('none' as const),
    })
    expect(changes).toEqual([{ name: 'a.txt', kind: 'added', entry: 'file', held: 'it was not allowed' }])
    await expect(
      standard.executeCodeBlocks([write({ 'b.txt': 'its' })], { chooseChanges: () => true as never }),
    ).rejects.toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    expect(existsSync(join(workDir, 'b.txt'))).toBe(false)
  })

  testOnce('asks in blocking calls as well', async () => {
    await using executor = create({ workDir, apply: ({ changes }) => changes.map(({ name }) => name) })
    const { changes } = executor.executeCodeBlocksSync([write({ 'package.json': 'its' })])
    expect([read('package.json'), changes]).toEqual([
      'its',
      [{ name: 'package.json', kind: 'changed', entry: 'file', risk: expect.any(String) }],
    ])
    await using waiting = create({ workDir, apply: () => Promise.resolve('all' as const) })
    expect(() => waiting.executeCodeBlocksSync([write({ 'package.json': 'other' })])).toThrow(
      expect.objectContaining({ code: 'async-in-sync' }),
    )
    expect(read('package.json')).toBe('its')
  })

  testCopy('judges the file of a block that names it like any other change', async () => {
    put('notes.py', 'mine')
    await using executor = create({ workDir, apply: 'ask' })
    const { output } = await executor.executeCodeBlocks([python('# filename: notes.py\nprint("ran")')])
    expect([output.split('\n')[0], read('notes.py')]).toEqual(['ran', 'mine'])
    await using safe = create({ workDir })
    const { changes } = await safe.executeCodeBlocks([python('# filename: notes.py\nprint("ran")')])
    expect([changes, read('notes.py')]).toEqual([
      [{ name: 'notes.py', kind: 'changed', entry: 'file' }],
      '# filename: notes.py\nprint("ran")',
    ])
  })

  testCopy('never writes over an original that was changed meanwhile', async () => {
    put('notes.txt', 'mine')
    put('gone.txt', 'mine')
    await using executor = create({ workDir, apply: 'all' })
    const { output } = await executor.executeCodeBlocks(
      [
        python(
          'print("on", flush=True)\nimport time\ntime.sleep(1)\nopen("notes.txt", "w").write("its")\nimport os\nos.remove("gone.txt")',
        ),
      ],
      {
        emit: (event) => {
          if (event.type === 'codeOutput') for (const name of ['notes.txt', 'gone.txt']) put(name, 'newer text')
        },
      },
    )
    expect([read('notes.txt'), read('gone.txt')]).toEqual(['newer text', 'newer text'])
    expect(output).toContain('"notes.txt" changed: the original was changed meanwhile')
    expect(output).toContain('"gone.txt" removed: the original was changed meanwhile')
  })

  testOnce('does not tear files that two runs write at once', async () => {
    await using one = create({ workDir })
    await using other = create({ workDir })
    const whole = (sign: string): string => sign.repeat(200_000)
    const texts = ['a', 'b'].map(whole)
    await Promise.all(
      [one, other].map((executor, index) => executor.executeCodeBlocks([write({ 'shared.txt': texts[index]! })])),
    )
    expect(texts).toContain(read('shared.txt'))
  })

  testLinks('brings back no link that leads out, whatever `apply` says', async () => {
    await using executor = create({ workDir, apply: 'all' })
    const links = {
      'report.csv': '/etc/passwd',
      'out.log': join(homedir(), '.bashrc'),
      rel: '../../../../../../etc',
      'src/up': '../../etc',
      'src/back': 'here/../../../etc',
      'src/far': '../way/passwd',
    }
    execFileSync('ln', ['-s', '/etc', join(workDir, 'way')])
    const make = Object.entries(links).map(([name, target]) => `ln -s '${target}' ${name}`)
    const { exitCode, output, changes } = await executor.executeCodeBlocks([
      sh(`mkdir -p src; ln -s . src/here; ${make.join('; ')}; echo x > f; ln -s f good; ln -s ../f src/good`),
    ])
    expect(exitCode).toBe(0)
    for (const name of Object.keys(links))
      expect([name, lstatSync(join(workDir, name), { throwIfNoEntry: false })]).toEqual([name, undefined])
    expect([read('good'), read('src/good')]).toEqual(['x\n', 'x\n'])
    expect(output).toContain('"report.csv" added: the link leads out of the directory')
    expect(changes!.filter(({ entry, held }) => entry === 'link' && held === undefined)).toHaveLength(3)
  })

  testOnce('brings back no link to a file that tools of the user run', async () => {
    await using executor = create({ workDir })
    await executor.executeCodeBlocks([sh('ln -s .git/hooks hooks; ln -s package.json out.json')])
    for (const name of ['hooks', 'out.json']) expect([name, existsSync(join(workDir, name))]).toEqual([name, false])
  })
})
