import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { CodeResult } from '@x/interfaces'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createCodeExecutor } from '../create-code-executor.ts'
import type { BlockExecutor } from '../executor.ts'
import { lendImage } from './lent-image.fake.ts'

// Loading Python takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const MIB = 2 ** 20
const LIMITS = {
  timeout: 60,
  outputBytes: 16_384,
  memoryBytes: 128 * MIB,
  fileBytes: 4 * MIB,
  workspaceBytes: 12 * MIB,
  workspaceEntries: 300,
}

let outside: string
let workDir: string
let executor: BlockExecutor
/** For code that takes all its time, of which it needs some to say that it is on. */
let hurried: BlockExecutor
beforeAll(async () => {
  await lendImage()
  outside = mkdtempSync(join(tmpdir(), 'x-host-'))
  writeFileSync(join(outside, 'secret'), 'canary')
  workDir = mkdtempSync(join(tmpdir(), 'x-work-'))
  executor = createCodeExecutor('wasm', { limits: LIMITS, workDir })
  hurried = createCodeExecutor('wasm', { limits: { ...LIMITS, timeout: 4 } })
})
afterAll(async () => {
  await executor.close()
  await hurried.close()
  for (const path of [outside, workDir]) rmSync(path, { recursive: true })
})
const run = async (...codes: string[]): Promise<CodeResult> =>
  await executor.executeCodeBlocks(codes.map((code) => ({ language: 'python', code })))

/** Code that prints a line for each attempt: what it gave, or the name of the error. */
const attempts = (...expressions: string[]): string =>
  `from pyodide.ffi import to_js
def attempt(work):
    try:
        print('GAVE', repr(work())[:200])
    except BaseException as error:
        print(type(error).__name__)
${expressions.map((expression) => `attempt(lambda: ${expression})`).join('\n')}`

describe('Python in WebAssembly runs as a program of its own', () => {
  it.each([
    [
      'arguments, name and directory',
      'import sys, os\nprint(len(sys.argv), __name__, os.getcwd())',
      '1 __main__ /workspace\n',
    ],
    [
      'asyncio.run',
      'import asyncio\nasync def main():\n  await asyncio.sleep(0.01); return 7\nprint(asyncio.run(main()))',
      '7\n',
    ],
    [
      'tasks at once',
      'import asyncio\nasync def main():\n  done = asyncio.Event()\n  async def last():\n    await done.wait(); print(2)\n  async def first():\n    await asyncio.sleep(0.01); print(1); done.set()\n  await asyncio.gather(last(), first())\nasyncio.run(main())',
      '1\n2\n',
    ],
    [
      'the standard library',
      'import sqlite3, json, re, decimal, zoneinfo, hashlib\nprint(sqlite3.connect(":memory:").execute("select 6*7").fetchone()[0])',
      '42\n',
    ],
    [
      'classes that are pickled',
      'import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))).__name__)',
      'A\n',
    ],
    [
      'what it does at its end',
      'import atexit\natexit.register(print, 3)\n@atexit.register\ndef fail():\n  print(2); raise ValueError("no")\nprint(1)\nraise SystemExit(0)',
      expect.stringMatching(/^Exception ignored in atexit callback[^]*ValueError: no\n1\n2\n3\n$/u) as unknown,
    ],
    ['sys.exit(0)', 'import sys\nprint(1); sys.exit(0)', '1\n'],
  ])('%s', async (_, code, output) => {
    expect(await run(code)).toMatchObject({ exitCode: 0, output })
  })

  it.each([
    [
      'an error, with the lines that led to it',
      'def f(): return 1 / 0\nf()',
      1,
      /^Traceback .*line 2, in <module>.*line 1, in f.*ZeroDivisionError/su,
    ],
    ['a syntax error', 'x = = 1', 1, /SyntaxError/u],
    ['a number', 'raise SystemExit(5)', 5, /^$/u],
    ['words', 'raise SystemExit("no")', 1, /^no\n$/u],
    ['leaving at once', 'import os\nprint(1, flush=True); os._exit(9)', 9, /^1\n$/u],
    ['recursion', 'def f(): f()\nf()', 1, /RecursionError/u],
  ])('and ends by %s', async (_, code, exitCode, text) => {
    const result = await run(code)
    expect([result.exitCode, text.test(result.output)]).toEqual([exitCode, true])
  })

  it('is a new Python each time: random numbers, globals', async () => {
    const { output } = await run(
      'import random\nx = 1\nprint(random.random())',
      'import random\nprint(random.random(), "x" in globals())',
    )
    const [first, second, seen] = output.split(/\s+/u)
    expect([first === second, seen]).toEqual([false, 'False'])
  })

  it('imports modules that earlier blocks saved, and keeps written files', async () => {
    const { output } = await run(
      '# filename: tools.py\ndef twice(n): return 2 * n',
      'import tools, os\nos.makedirs("d/e", exist_ok=True); open("d/e/out.bin", "wb").write(bytes(range(256)))\nprint(tools.twice(21))',
      'import os\nprint(open("d/e/out.bin", "rb").read() == bytes(range(256))); os.remove("d/e/out.bin"); os.rmdir("d/e")',
    )
    expect(output).toBe('42\nTrue\n')
    expect(executor.workDir).toBe(realpathSync(workDir))
    const { artifacts } = await run('print()')
    expect(artifacts?.filter(({ name }) => name.startsWith('d'))).toEqual([{ name: 'd', size: 0, kind: 'directory' }])
  })

  it('gives the files of the host’s directory to code, and what links lead to it does not', async () => {
    mkdirSync(join(workDir, 'data'))
    writeFileSync(join(workDir, 'data', 'in.csv'), 'a,b\n')
    symlinkSync(join(outside, 'secret'), join(workDir, 'data', 'link'))
    symlinkSync(outside, join(workDir, 'way'))
    const { output } = await run(
      'import os\nprint(open("data/in.csv").read().strip(), os.path.exists("data/link"), os.path.exists("way"))\nos.makedirs("way"); open("way/secret", "w").write("changed"); open("data/link", "w").write("mine")',
    )
    expect(output).toMatch(/^a,b False False\nNot written to the directory of the user/u)
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('canary')
    // A link of the user's, which code does not see, stays.
    expect(readlinkSync(join(workDir, 'data', 'link'))).toBe(join(outside, 'secret'))
    rmSync(join(workDir, 'way'))
  })
})

describe('Python in WebAssembly reaches nothing', () => {
  it.each<[what: string, expressions: string[], expected: string]>([
    [
      'by the modules that lead out of Pyodide',
      [
        '__import__("js").process',
        '__import__("pyodide_js").FS',
        '__import__("micropip")',
        '__import__("pyodide.code").code.run_js("1")',
        '__import__("pyodide.http").http.open_url("http://127.0.0.1/")',
      ],
      'ModuleNotFoundError\nModuleNotFoundError\nModuleNotFoundError\nModuleNotFoundError\nNameError\n',
    ],
    [
      'by constructors of what came from JavaScript',
      [
        'to_js([1]).constructor.constructor("return 7")()',
        '__import__("pyodide.webloop").webloop.scheduleCallback.constructor("return process")()',
        'to_js({}).constructor.constructor.constructor("return this")()',
      ],
      'JsException\nJsException\nJsException\n',
    ],
    [
      'by starting programs',
      [
        '__import__("subprocess").run(["id"])',
        '__import__("os").fork()',
        '__import__("os").execv("/bin/sh", ["sh"])',
        '__import__("threading").Thread(target=print).start()',
        '__import__("multiprocessing").Process(target=print).start()',
      ],
      'OSError\nOSError\nOSError\nRuntimeError\nModuleNotFoundError\n',
    ],
  ])('%s', async (_, expressions, expected) => {
    expect((await run(attempts(...expressions))).output).toBe(expected)
  })

  it('by the shell', async () => {
    expect((await run(`import os\nprint(os.system("touch ${outside}/touched"))`)).output).toBe('-1\n')
    expect(() => readFileSync(join(outside, 'touched'))).toThrow('ENOENT')
  })

  it('by sockets: loopback, metadata, names', async () => {
    let reached = 0
    const server = createServer(() => reached++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      const { output } = await run(
        `import socket, urllib.request\nfor host, port in [("127.0.0.1", ${port}), ("169.254.169.254", 80), ("example.com", 80)]:\n  for go in (lambda: socket.create_connection((host, port), 0.3).send(b"x"), lambda: urllib.request.urlopen(f"http://{host}:{port}/", timeout=0.3)):\n    try: go(); print("reached")\n    except Exception: print("no")`,
      )
      expect([output, reached]).toEqual(['no\n'.repeat(6), 0])
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('of files, environment and processes', async () => {
    const { output } = await run(
      `import os, glob\nfor path in ["/etc/passwd", "/proc/self/environ", "/proc/1/environ", "${outside}/secret", "${process.cwd()}/package.json"]:\n  try: print(open(path).read())\n  except OSError: print("no")\nprint(sorted(os.listdir("/")), sorted(os.environ), sorted(os.listdir("/dev/shm")) if os.path.exists("/dev/shm") else [])`,
    )
    expect(output.split('\n').slice(0, 5)).toEqual(Array(5).fill('no'))
    expect(output).not.toMatch(/canary|X_|NODE|[/]root/u)
    expect(output).toContain("['dev', 'home', 'lib', 'proc', 'tmp', 'workspace']")
  })

  it('of the process that tells what became of the files', async () => {
    const { output } = await run(
      'import os\nfor n in range(3, 20):\n  try: os.write(n, b"x"); print("wrote", n)\n  except OSError: pass\nprint("end")',
    )
    expect(output).toBe('end\n')
  })
})

describe('Python in WebAssembly is ended', () => {
  it.concurrent.each([
    ['in a loop', 'while True: pass'],
    ['when it catches everything', 'while True:\n  try:\n    while True: pass\n  except BaseException: pass'],
    ['in a number that takes for ever', '9**9**9'],
    ['in a pattern that backtracks', 'import re; re.match(r"(a+)+$", "a" * 40 + "b")'],
    ['asleep', 'import time; time.sleep(60)'],
    ['in tasks without end', 'import asyncio\nasync def f():\n  while True: await asyncio.sleep(0)\nasyncio.run(f())'],
  ])('%s', async (_, code) => {
    const block = { language: 'python', code: `print("on", flush=True)\n${code}` }
    const result = await hurried.executeCodeBlocks([block])
    expect([result.exitCode, result.output]).toEqual([124, 'on\n\nTimeout'])
  })

  it.each([
    ['one huge object', 'b = bytearray(10**9)'],
    ['growing slowly', 'a = []\nwhile True: a.append(bytearray(10**6))'],
    ['doubling', 'a = [0]\nwhile True: a = a + a'],
    ['text', 's = "x"\nwhile True: s += s'],
  ])('by a MemoryError: %s', async (_, code) => {
    const result = await run(code)
    expect(result.exitCode).not.toBe(0)
    expect(result.output).toMatch(/MemoryError|too much memory/u)
    expect((await run('print(1)')).output).toBe('1\n')
  })

  it('by the memory of the process, where it takes JavaScript’s', async () => {
    const result = await run(
      'from pyodide.ffi import to_js\na = to_js(b"x")\nkept = [a.constructor.new(2**28) for i in range(8)]\nfor k in kept: k.fill(1)\nwhile True: pass',
    )
    expect([result.exitCode, result.blocks?.[0]?.reason]).toEqual([137, 'memory'])
  })

  it.each([
    ['one file', 'open("big", "wb").write(bytes(5 * 2**20))', 'File too large'],
    ['one file, made long', 'open("long", "wb").truncate(2**31 - 1)', 'File too large'],
    ['a file with a hole', 'f = open("hole", "wb"); f.seek(2**30); f.write(b"x"); f.flush()', 'File too large'],
    ['many large files', 'for i in range(9): open(f"/tmp/{i}", "wb").write(bytes(3 * 2**20))', 'No space left'],
    ['many empty files', 'for i in range(2000): open(f"/tmp/{i}", "w").close()', 'No space left'],
    [
      'directories in each other',
      'import os\nfor i in range(100):\n  os.mkdir("a"); os.chdir("a")',
      'Filename too long',
    ],
    ['directories', 'import os\nfor i in range(2000): os.mkdir(f"/tmp/d{i}")', 'No space left'],
  ])('by the size of %s', async (_, code, text) => {
    const result = await run(code)
    expect([result.exitCode, result.output.includes(text)]).toEqual([1, true])
    await run('import os\nfor f in os.listdir():\n  if not f.endswith(".py") and os.path.isfile(f): os.remove(f)')
  })

  it('and an archive that would be a gigabyte stays one', async () => {
    const { exitCode, output, artifacts } = await run(
      'import zipfile\nwith zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as z:\n  with z.open("zeros", "w") as f:\n    for i in range(256): f.write(bytes(2**20))\nprint("made")',
      'import zipfile\nzipfile.ZipFile("bomb.zip").extractall()',
    )
    expect([exitCode, output.startsWith('made\n') || output.endsWith('made\n')]).toEqual([1, true])
    expect(output).toContain('File too large')
    expect(artifacts?.find(({ name }) => name === 'bomb.zip')!.size).toBeLessThan(MIB)
    expect(artifacts?.every(({ size }) => size <= LIMITS.fileBytes)).toBe(true)
  })
})

it('names the package to install if it is missing', async () => {
  // In a process of its own, which no variable of a package manager tells where else to look.
  const backend = new URL('./pyodide-backend.ts', import.meta.url).href
  const script = `const { pyodideBackend } = await import(${JSON.stringify(backend)})
const backend = pyodideBackend({ kind: 'pyodide', workDir: '.', env: {}, from: ${JSON.stringify(pathToFileURL(join(outside, 'index.js')).href)} })
console.log(await backend.fault('python'))
await backend.run({ runtime: 'python', file: 'a.py', code: '' }, {}).catch(({ code, message }) => console.log(code, message))`
  const flags = ['--conditions=@x/source', '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { env: {}, cwd: outside })
  const missing = 'Python in WebAssembly needs `pyodide`, which is not installed: run `npm i pyodide`'
  expect(stdout).toBe(`${missing}\nno-sandbox cannot run Python: ${missing}\n`)
})
