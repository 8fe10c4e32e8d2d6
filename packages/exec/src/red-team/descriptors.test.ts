import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { executorMatrix, MACHINE_KINDS } from '../executor-matrix.fake.ts'

// A busy machine is slow.
vi.setConfig({ testTimeout: 120_000 })

// What a shell left open for the program that runs code: a directory, a lock, a file that nobody else may read.
const NUMBERS: ReadonlySet<number> = new Set([20, 40, 199, 200, 251])
let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'x-inherited-'))
  chmodSync(home, 0o755)
  mkdirSync(join(home, 'canary-directory'))
  writeFileSync(join(home, 'canary-secret'), 'canary', { mode: 0o600 })
})
afterAll(() => rmSync(home, { recursive: true }))

const PROGRAMS = {
  sh: 'echo on; sleep 8905',
  python: 'print("on", flush=True)\nwhile True: pass',
  javascript: 'console.log("on"); for (;;);',
}

const url = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)

/** A program that runs code, looks meanwhile at what all its processes have open, and tells what of it is the shell's. */
const script = (kind: string, language: keyof typeof PROGRAMS): string => `
const { readdirSync, readlinkSync } = await import('node:fs')
const { createCodeExecutor } = await import(${url('../index.ts')})
const { borrowImage } = await import(${url('../wasm/lent-image.fake.ts')})
borrowImage()
const { processTree } = await import(${url('../backend/processes.ts')})
const executor = createCodeExecutor('${kind}', { ...('${kind}' === 'local' && { trust: 'host' }) })
const stop = new AbortController()
const open = []
let seen = 0
const look = ({ type }) => {
  if (type !== 'codeOutput') return
  for (const pid of processTree(process.pid).slice(1)) {
    for (const name of readdirSync('/proc/' + pid + '/fd')) {
      seen++
      let target = ''
      try { target = readlinkSync('/proc/' + pid + '/fd/' + name) } catch {}
      if (target.includes('canary')) open.push(name + ' ' + target)
    }
  }
  stop.abort()
}
const block = { language: '${language}', code: ${JSON.stringify(PROGRAMS[language])} }
try {
  await executor.executeCodeBlocks([block], { emit: look, signal: stop.signal }).catch(({ code }) => {
    if (code !== 'aborted') throw new Error(code)
  })
} finally { await executor.close() }
console.log(JSON.stringify({ seen: seen > 0, open }))`

const matrix = await executorMatrix([...MACHINE_KINDS, 'quickjs', 'pyodide'])
describe.skipIf(process.platform !== 'linux')('descriptors that the program inherited do not reach code', () => {
  it.concurrent.each(matrix)('$kind', async ({ kind, language, missing }) => {
    if (missing !== null) return
    const kindOption = kind === 'quickjs' || kind === 'pyodide' ? 'wasm' : kind
    const files = ['canary-directory', 'canary-secret'].map((name) => openSync(join(home, name), 'r'))
    const stdio = Array.from({ length: 252 }, (_, at) => (NUMBERS.has(at) ? files[at % 2]! : ('ignore' as const)))
    const flags = ['--conditions=@x/source', '--input-type=module', '-e', script(kindOption, language)]
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit', ...stdio.slice(3)] })
    for (const file of files) closeSync(file)
    const [said] = await Promise.all([text(child.stdout!), once(child, 'exit')])
    expect(JSON.parse(said)).toEqual({ seen: true, open: [] })
  })
})
