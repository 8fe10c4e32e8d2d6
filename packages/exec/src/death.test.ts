import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { processTree } from './backend/processes.ts'
import { engineAt } from './container/engine.ts'
import { executorMatrix, ISOLATED_KINDS } from './executor-matrix.fake.ts'

// Some load Python in WebAssembly, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

// What stays when the program that started it is killed, so that it can clean up nothing.
const home = mkdtempSync(join(tmpdir(), 'x-death-'))
afterAll(() => rmSync(home, { recursive: true }))

const PROGRAMS = {
  sh: 'echo on; sleep 8904',
  python: 'print("on", flush=True)\nwhile True: pass',
  javascript: 'console.log("on"); for (;;);',
}

const runs = (pid: number): boolean => existsSync(`/proc/${pid}`)

/** Asks again until something is so; fails when it takes too long. */
const settled = async (question: () => boolean | Promise<boolean>): Promise<boolean> =>
  await vi.waitUntil(question, { timeout: 10_000, interval: 50 })

const matrix = await executorMatrix([...ISOLATED_KINDS, 'quickjs', 'pyodide'])
describe.skipIf(process.platform !== 'linux')('a program that is killed leaves nothing that runs', () => {
  it.concurrent.each(matrix.filter(({ kind }) => kind !== 'container'))(
    '$kind',
    async ({ kind, language, missing }) => {
      if (missing !== null) return
      const kindOption = kind === 'quickjs' || kind === 'pyodide' ? 'wasm' : kind
      const script = `const { createCodeExecutor } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
const { borrowImage } = await import(${JSON.stringify(new URL('./wasm/lent-image.fake.ts', import.meta.url).href)})
borrowImage()
const executor = createCodeExecutor('${kindOption}', { workDir: ${JSON.stringify(join(home, kind))} })
await executor.executeCodeBlocks([{ language: '${language}', code: ${JSON.stringify(PROGRAMS[language])} }], { emit: ({ type }) => type === 'codeOutput' && console.log('on') })`
      const flags = ['--conditions=@x/source', '--input-type=module', '-e', script]
      const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
      const gone = once(child, 'exit')
      await once(child.stdout, 'data')
      const started = processTree(child.pid!).slice(1)
      child.kill('SIGKILL')
      await gone
      expect(started.length).toBeGreaterThan(0)
      await settled(() => !started.some(runs))
    },
  )

  it.concurrent('the next program removes its directories', async () => {
    const temporary = join(home, 'temporary')
    mkdirSync(temporary)
    const begin = (then: string): ChildProcess => {
      const script = `const { createCodeExecutor } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
const executor = createCodeExecutor('local', { trust: 'host' })
await executor.executeCodeBlocks([{ language: 'sh', code: 'echo a > a.txt' }])
console.log('on'); ${then}`
      return spawn(process.execPath, ['--conditions=@x/source', '--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, TMPDIR: temporary },
      })
    }
    const killed = begin('setInterval(() => {}, 1000)')
    await once(killed.stdout!, 'data')
    const left = readdirSync(temporary)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    expect([left.length, readdirSync(temporary)]).toEqual([1, left])
    await once(begin('await executor.close()'), 'exit')
    expect(readdirSync(temporary)).toEqual([])
  })

  it.concurrent('container: it ends by itself', async () => {
    const container = matrix.find(({ kind }) => kind === 'container')!
    if (container.missing !== null) return
    const socket = process.env['DOCKER_HOST']!.slice('unix://'.length)
    const name = `x-exec-death-${process.pid}`
    const script = `const { containerBackend } = await import(${JSON.stringify(new URL('./container/container-backend.ts', import.meta.url).href)})
const { limitsOf } = await import(${JSON.stringify(new URL('./run/limits.ts', import.meta.url).href)})
const limits = limitsOf()
const backend = containerBackend({ kind: 'container', sockets: [${JSON.stringify(socket)}], image: process.env.X_EXEC_IMAGE, name: '${name}', network: 'none', env: {}, limits, ttl: 2 })
await backend.run({ runtime: 'sh', file: 'a.sh', code: 'echo on; sleep 8904', saveOnly: false, limits }, { onOutput: () => console.log('on') })`
    const flags = ['--conditions=@x/source', '--input-type=module', '-e', script]
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
    const gone = once(child, 'exit')
    await once(child.stdout, 'data')
    const engine = engineAt(socket)
    // It lives longer than it would without heartbeats.
    const old = async (): Promise<boolean> => {
      const { status, body } = await engine.call('GET', `/containers/${name}/json`)
      const { State } = body as { State: { Running: boolean; StartedAt: string } }
      expect([status, State.Running]).toEqual([200, true])
      return Date.now() - Date.parse(State.StartedAt) > 4_000
    }
    await settled(old)
    child.kill('SIGKILL')
    await gone
    await settled(async () => (await engine.call('GET', `/containers/${name}/json`)).status === 404)
  })
})
