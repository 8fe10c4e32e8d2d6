import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { processTree } from '../backend/processes.ts'
import { createCodeExecutor } from '../create-code-executor.ts'
import type { BlockExecutor } from '../executor.ts'
import { lendImage } from './lent-image.fake.ts'

vi.setConfig({ testTimeout: 120_000 })

beforeAll(lendImage)

const LIMITS = { outputBytes: 8_192, memoryBytes: 128 * 2 ** 20 }
const executors: BlockExecutor[] = []
const wasm = (timeout: number = 10): BlockExecutor => {
  const executor = createCodeExecutor('wasm', { timeout, limits: LIMITS })
  executors.push(executor)
  return executor
}
const closeAll = async (): Promise<void> => {
  await Promise.all(executors.splice(0).map((executor) => executor.close()))
  expect(processes()).toEqual([])
}

/** Processes that this one started and that run. */
const processes = (): number[] => processTree(process.pid).slice(1)

type Language = 'javascript' | 'python'
const NOTHING = { javascript: '', python: '' }
const run = async (executor: BlockExecutor, language: Language, code: string, signal?: AbortSignal): Promise<string> =>
  (await executor.executeCodeBlocks([{ language, code }], { signal })).output

/** Processes start, wait and end in the same way for both; Python, which takes ten times as long: `pnpm redteam`. */
const LANGUAGES: Language[] = process.env['REDTEAM'] === 'whole' ? ['javascript', 'python'] : ['javascript']

describe.skipIf(process.platform !== 'linux').each<Language>(LANGUAGES)('%s in WebAssembly', (language) => {
  afterEach(closeAll)

  it('runs the blocks of each executor in one process of its own', async () => {
    const [one, other] = [wasm(), wasm()]
    await run(one, language, NOTHING[language])
    const [first] = processes()
    // Blocks that follow each other closely may take a second process; the first is among them.
    await run(one, language, NOTHING[language])
    expect(processes()).toContain(first)
    expect(processes().length).toBeLessThanOrEqual(2)
    const known = processes()
    await run(other, language, NOTHING[language])
    expect(processes().filter((pid) => !known.includes(pid))).toHaveLength(1)
  })

  it.each<[what: string, codes: Record<Language, string>]>([
    ['that takes too long', { javascript: 'for (;;);', python: 'while True: pass' }],
    [
      'that prints without end',
      { javascript: 'for (;;) console.log("x".repeat(1000))', python: 'while True: print("x" * 1000)' },
    ],
    [
      'that breaks its interpreter',
      {
        javascript: 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(JSON.stringify(a))',
        python: 'import ctypes\nctypes.memset(0, 1, 2**24)',
      },
    ],
  ])('ends the process of a block %s', async (_, codes) => {
    const executor = wasm(1)
    await run(executor, language, NOTHING[language])
    expect((await executor.executeCodeBlocks([{ language, code: codes[language] }])).exitCode).not.toBe(0)
    // Of the two that run Python in turn, one ran the block.
    expect(processes().length).toBeLessThanOrEqual(language === 'python' ? 1 : 0)
    expect(await run(executor, language, language === 'python' ? 'print(7)' : 'console.log(7)')).toBe('7\n')
  })

  it('ends the process of a stopped block, also while it starts', async () => {
    const executor = wasm()
    const endless = language === 'python' ? 'print(1, flush=True)\nwhile True: pass' : 'console.log(1); for (;;);'
    for (const when of ['starts', 'runs']) {
      const stop = new AbortController()
      const work = executor.executeCodeBlocks([{ language, code: endless }], {
        signal: stop.signal,
        emit: ({ type }) => void (type === 'codeOutput' && stop.abort()),
      })
      if (when === 'starts') stop.abort()
      await expect(work).rejects.toMatchObject({ code: 'aborted' })
      await vi.waitUntil(() => processes().length === 0, { timeout: 10_000 })
    }
  })

  it.each(['ends', 'is killed'])('leaves no process when the program %s while one waits', async (how) => {
    const index = new URL('../index.ts', import.meta.url).href
    const script = `const { createCodeExecutor } = await import(${JSON.stringify(index)})
const executor = createCodeExecutor('wasm')
await executor.executeCodeBlocks([{ language: '${language}', code: '' }])
const { processTree } = await import(${JSON.stringify(new URL('../backend/processes.ts', import.meta.url).href)})
console.log(JSON.stringify(processTree(process.pid).slice(1)))
${how === 'ends' ? '' : 'process.kill(process.pid, "SIGKILL")'}`
    const flags = ['--conditions=@x/source', '--input-type=module', '-e', script]
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const started = JSON.parse(said) as number[]
    expect(started.length).toBeGreaterThan(0)
    await vi.waitUntil(() => !started.some((pid) => existsSync(`/proc/${pid}`)), { timeout: 10_000 })
  })
})

describe('a block finds nothing that an earlier one left', () => {
  let executor: BlockExecutor
  beforeAll(() => {
    executor = wasm()
  })
  afterAll(closeAll)

  it.each([
    ['globals', 'zz = 1; globalThis.print = null', 'console.log(typeof zz, typeof print)', 'undefined function\n'],
    [
      'prototypes',
      'Object.prototype.x = 1; Array.prototype.map = () => ["mine"]; JSON.stringify = () => "mine"',
      'console.log(({}).x, [1].map((n) => n), JSON.stringify({}))',
      'undefined [ 1 ] {}\n',
    ],
    [
      'timers and jobs',
      'setTimeout(() => console.log("late"), 1); Promise.resolve().then(() => console.log("late")); process.exit(0)',
      'setTimeout(() => console.log("on time"), 20)',
      'on time\n',
    ],
    ['a console that is gone', 'console.log = null; delete globalThis.console', 'console.log(1)', '1\n'],
    ['its own end', 'process.exit(3)', 'console.log(1)', '1\n'],
  ])('in JavaScript: %s', async (_, first, second, output) => {
    expect(await run(executor, 'javascript', first)).toBe('')
    expect(await run(executor, 'javascript', second)).toBe(output)
  })

  it.each([
    [
      'modules and built-ins',
      'import builtins, sys\nsys.modules["json"] = None\nbuiltins.len = None',
      'import json\nprint(len(json.dumps([])))',
      '2\n',
    ],
    [
      'the environment and files elsewhere',
      'import os\nos.environ["A"] = "1"\nopen("/tmp/f", "w").close()',
      'import os\nprint("A" in os.environ, os.path.exists("/tmp/f"))',
      'False False\n',
    ],
    [
      'what belongs to JavaScript',
      'from pyodide.ffi import to_js\na = to_js(b"x").constructor.prototype\na.set = a.fill\na.zzz = 7\nto_js([]).constructor.prototype.map = None',
      'from pyodide.ffi import to_js\nprint(hasattr(to_js(b"x"), "zzz"), hasattr(to_js([]), "map"))',
      'False True\n',
    ],
    [
      'timers',
      'from pyodide.ffi import create_proxy\nfrom pyodide.webloop import scheduleCallback\ndef late():\n  print("late", flush=True)\n  while True: pass\nfor delay in (0, 1, 50): scheduleCallback(create_proxy(late), delay)',
      'import time\ntime.sleep(0.2)\nprint("on time")',
      'on time\n',
    ],
    ['what it did to its own end', 'import os, sys\nsys.stdout.close()\nos._exit(0)', 'print(1)', '1\n'],
  ])('in Python: %s', async (_, first, second, output) => {
    expect(await run(executor, 'python', first)).toBe('')
    expect(await run(executor, 'python', second)).toBe(output)
  })
})

describe.skipIf(process.platform !== 'linux')('idle processes', () => {
  afterEach(closeAll)

  it('are few, however many executors there are', async () => {
    for (let count = 0; count < 7; count++) await run(wasm(), 'javascript', '')
    await vi.waitUntil(() => processes().length <= 4, { timeout: 10_000 })
    // An executor whose process was ended for others starts a new one.
    expect(await run(executors[0]!, 'javascript', 'console.log(1)')).toBe('1\n')
  })

  it('hold little memory', async () => {
    const executor = createCodeExecutor('wasm')
    executors.push(executor)
    await run(executor, 'python', 'a = bytearray(400 * 2**20)\nfor i in range(0, len(a), 4096): a[i] = 1')
    await vi.waitUntil(() => processes().length === 0, { timeout: 10_000 })
  })
})

describe('a crash', () => {
  let executor: BlockExecutor
  beforeAll(() => {
    executor = wasm()
  })
  afterAll(closeAll)

  it.each<[Language, string]>([
    ['javascript', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(JSON.stringify(a))'],
    ['javascript', 'JSON.parse("[".repeat(1e6))'],
    ['javascript', 'console.log({ get a() { throw new Error("mine") } })'],
    ['javascript', 'setTimeout(() => { throw new Error("mine") }, 1)'],
    ['python', 'import sys\nsys.setrecursionlimit(10**8)\ndef f(): f()\nf()'],
    ['python', 'import ctypes\nctypes.string_at(2**31 - 8, 100)'],
    ['python', 'import os\nos.abort()'],
  ])('in %s shows nothing of the machine and of this package: %s', async (language, code) => {
    const { exitCode, output, blocks } = await executor.executeCodeBlocks([{ language, code }])
    expect(exitCode).toBe(1)
    const said = output + blocks![0]!.stderr
    expect(said).not.toMatch(/file:|node:|wasm-function|\.m?js:\d+:\d+\)?$(?<!main\.js.*)|prelude|<exec>|__x_/mu)
    expect(said).not.toContain(process.cwd())
    expect(said).not.toBe('')
  })
})
