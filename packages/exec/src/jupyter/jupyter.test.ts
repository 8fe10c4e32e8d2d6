import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { XEvent } from '@x/interfaces'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCustomExecutor, type CustomExecutorOptions } from '../create-custom-executor.ts'
import type { BlockExecutor } from '../executor.ts'
import { jupyterKernel, type JupyterSettings } from './jupyter-kernel.ts'
import { fakeJupyter, type FakeCell, type FakeJupyter } from './jupyter-server.fake.ts'

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})
const started = async (
  options: Partial<Parameters<typeof fakeJupyter>[0]> = {},
  settings: Partial<JupyterSettings> = {},
  of: CustomExecutorOptions = {},
): Promise<{ server: FakeJupyter; executor: BlockExecutor }> => {
  const server = await fakeJupyter({ play: (cell) => cell.end(), ...options })
  const all = { url: server.url, token: 'a-token', ...settings }
  const executor = createCustomExecutor(jupyterKernel, { id: 'an-executor', ...of, settings: all })
  cleanUps.push(
    () => executor.close(),
    () => server.close(),
  )
  return { server, executor }
}
const stopAtOutput =
  (stop: AbortController) =>
  ({ type }: XEvent): void =>
    void (type === 'codeOutput' && stop.abort())
const python = (code: string) => [{ language: 'python', code }]
const PICTURE = Buffer.from('a picture').toString('base64')

describe('a kernel of a Jupyter server', () => {
  it('runs the blocks of an executor one at a time, in one session, and ends with it', async () => {
    const play = (cell: FakeCell): void => {
      cell.say('stream', { name: 'stdout', text: `${cell.code}\n` })
      cell.say('stream', { name: 'stderr', text: 'warned\n' })
      cell.say('execute_result', { data: { 'text/plain': '42' } })
      cell.end()
    }
    const { server, executor } = await started({ play })
    const { output, blocks, exitCode } = await executor.executeCodeBlocks([...python('one'), ...python('two')])
    expect([exitCode, output]).toEqual([0, 'warned\none\n42\nwarned\ntwo\n42\n'])
    expect(blocks!.map(({ isolation, reason }) => [isolation, reason])).toEqual([
      ['host', 'exit'],
      ['host', 'exit'],
    ])
    await executor.close()
    const calls = server.calls.filter((call) => call !== 'GET /api/kernelspecs')
    expect(calls.map((call) => call.replace(/(?<=\/[ks])\d+/u, ''))).toEqual([
      'POST /api/sessions',
      'GET /api/kernels/k/channels',
      'DELETE /api/sessions/s',
    ])
  })

  it('shows pictures and pages as files of the work directory, and other things as JSON', async () => {
    const play = (cell: FakeCell): void => {
      cell.say('display_data', { data: { 'image/png': `${PICTURE}\n`, 'text/plain': '<Figure>' } })
      cell.say('display_data', { data: { 'text/html': ['<b>', 'a</b>'], 'application/x': { a: 1 } } })
      cell.say('display_data', { data: { 'image/png': 'A'.repeat(8_000) } })
      cell.end()
    }
    const { executor } = await started({ play }, {}, { limits: { fileBytes: 4_096 } })
    const { output, artifacts } = await executor.executeCodeBlocks(python('show'))
    const [picture, page] = ['png', 'html'].map((ending) => artifacts!.find(({ name }) => name.endsWith(ending))!.name)
    const { workDir } = executor
    expect(output).toBe(
      `Image data saved to ${join(workDir!, picture!)}\n<Figure>\nHTML data saved to ${join(workDir!, page!)}\n{"application/x":{"a":1}}\nImage data left out: 6000 bytes, and a file has at most 4096\n`,
    )
    expect(readFileSync(join(workDir!, picture!), 'utf8')).toBe('a picture')
    expect(readFileSync(join(workDir!, page!), 'utf8')).toBe('<b>a</b>')
  })

  it('goes on after a picture that cannot be saved, since the code has removed the work directory', async () => {
    const play = (cell: FakeCell): void => {
      rmSync(executor.workDir!, { recursive: true })
      cell.say('display_data', { data: { 'image/png': PICTURE } })
      cell.say('stream', { name: 'stdout', text: 'on\n' })
      cell.end()
    }
    const { executor } = await started({ play })
    const { exitCode, output } = await executor.executeCodeBlocks(python('show'))
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/^Rich output left out: ENOENT.*\non\n$/u)])
  })

  it('reports the name and the frames of an error', async () => {
    const play = (cell: FakeCell): void => {
      cell.say('error', {
        ename: 'ZeroDivisionError',
        evalue: 'division by zero',
        traceback: ['\u001b[31mline 1\u001b[0m'],
      })
      cell.end('error')
    }
    const { executor } = await started({ play })
    const { exitCode, output } = await executor.executeCodeBlocks([...python('1/0'), ...python('never')])
    expect([exitCode, output]).toEqual([1, 'ERROR: ZeroDivisionError: division by zero\nline 1\n'])
  })

  it('is interrupted when the time is up or the caller stops, and continues', async () => {
    const play = (cell: FakeCell): void => {
      cell.say('stream', { name: 'stdout', text: 'on\n' })
      if (cell.code !== 'hang') cell.end()
    }
    const interrupt = (cell: FakeCell): void => {
      cell.say('error', { ename: 'KeyboardInterrupt', evalue: '', traceback: [] })
      cell.end('error')
    }
    const { server, executor } = await started({ play, interrupt }, {}, { timeout: 600 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    // The time is up when the block has said something.
    const pass = ({ type }: XEvent): void => void (type === 'codeOutput' && vi.advanceTimersByTime(600_000))
    const hung = await executor.executeCodeBlocks(python('hang'), { emit: pass })
    expect([hung.exitCode, hung.output]).toEqual([124, 'on\n\nTimeout'])
    const stop = new AbortController()
    await expect(
      executor.executeCodeBlocks(python('hang'), { signal: stop.signal, emit: stopAtOutput(stop) }),
    ).rejects.toMatchObject({ code: 'aborted' })
    expect((await executor.executeCodeBlocks(python('next'))).output).toBe('on\n')
    expect(server.calls.filter((call) => call.endsWith('/interrupt'))).toHaveLength(2)
    expect(server.calls.filter((call) => call === 'POST /api/sessions')).toHaveLength(1)
  })

  it('is shut down if it does not stop, and the next block gets another one', async () => {
    const play = (cell: FakeCell): void => {
      if (cell.code === 'hang') cell.say('stream', { name: 'stdout', text: 'on\n' })
      else cell.end()
    }
    const { server, executor } = await started({ play, interrupt: () => {} })
    const stop = new AbortController()
    await expect(
      executor.executeCodeBlocks(python('hang'), { signal: stop.signal, emit: stopAtOutput(stop) }),
    ).rejects.toMatchObject({ code: 'aborted' })
    expect((await executor.executeCodeBlocks(python('next'))).exitCode).toBe(0)
    expect(server.calls.filter((call) => call === 'POST /api/sessions')).toHaveLength(2)
  })

  it.each<[what: string, die: (cell: FakeCell) => void]>([
    ['dies and is started anew by the server', (cell) => cell.announce('status', { execution_state: 'restarting' })],
    ['is dead', (cell) => cell.announce('status', { execution_state: 'dead' })],
    ['is cut off', (cell) => cell.cut()],
  ])('that %s fails the block, says that its state is lost, and is replaced', async (_, die) => {
    const { server, executor } = await started({ play: (cell) => (cell.code === 'die' ? die(cell) : cell.end()) })
    const { exitCode, output, blocks } = await executor.executeCodeBlocks(python('die'))
    expect([exitCode, blocks![0]!.reason]).toEqual([1, 'engine'])
    expect(output).toContain('what earlier blocks left in it is lost')
    expect((await executor.executeCodeBlocks(python('next'))).exitCode).toBe(0)
    expect(server.calls.filter((call) => call === 'POST /api/sessions')).toHaveLength(2)
  })

  it('is shut down, and not taken for a new one, while the server restarts it', async () => {
    const die = (cell: FakeCell): void => {
      cell.say('stream', { name: 'stderr', text: 'last words\n' })
      cell.announce('status', { execution_state: 'restarting' })
    }
    const { server, executor } = await started({
      play: (cell) => (cell.code === 'die' ? die(cell) : cell.end()),
      refusals: 2,
    })
    const died = await executor.executeCodeBlocks(python('die'))
    expect(died.output).toMatch(/^last words\nThe kernel ended/u)
    expect((await executor.executeCodeBlocks(python('next'))).exitCode).toBe(0)
    const [first, second] = server.cells.map(({ kernel }) => kernel)
    expect(second).not.toBe(first)
    expect(server.sessions).toBe(1)
  })

  it('leaves no session if it is closed while the server restarts a kernel', async () => {
    const play = (cell: FakeCell): void => cell.announce('status', { execution_state: 'restarting' })
    const { server, executor } = await started({ play, refusals: 2 })
    await executor.executeCodeBlocks(python('die'))
    await executor.close()
    expect(server.sessions).toBe(0)
  })

  it.each<[what: string, type: string, content: object, output: string]>([
    ['dies', 'status', { execution_state: 'restarting' }, 'The kernel died since the last block'],
    ['is shut down by somebody else', 'shutdown_reply', { status: 'ok', restart: false }, ''],
  ])('that %s between two blocks is replaced', async (_, type, content, output) => {
    const { server, executor } = await started()
    await executor.executeCodeBlocks(python('a'))
    server.cells[0]!.announce(type, content)
    // The executor has heard of it.
    await vi.waitUntil(() => server.connections === 0, { timeout: 30_000 })
    const next = await executor.executeCodeBlocks(python('next'))
    expect([next.exitCode, next.output.startsWith(output), next.output === '']).toEqual([0, true, output === ''])
    const [first, second] = server.cells.map(({ kernel }) => kernel)
    expect(second).not.toBe(first)
    expect((await executor.executeCodeBlocks(python('last'))).output).toBe('')
  })

  it('runs a block once published messages arrive', async () => {
    const play = (cell: FakeCell): void => {
      cell.say('stream', { name: 'stdout', text: 'heard\n' })
      cell.end()
    }
    const { executor } = await started({ play, unheard: () => 3 })
    expect((await executor.executeCodeBlocks(python('a'))).output).toBe('heard\n')
  })

  it('ends a block in time while its kernel does not answer', async () => {
    const unheard = (connection: number): number => (connection === 0 ? 0 : Infinity)
    const { server, executor } = await started({ unheard }, {}, { timeout: 30 })
    await executor.executeCodeBlocks(python('a'))
    server.cells[0]!.announce('status', { execution_state: 'dead' })
    await vi.waitUntil(() => server.connections === 0, { timeout: 30_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const next = executor.executeCodeBlocks(python('next'))
    while (server.connections === 0) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(30_000)
    expect((await next).output).toBe('\nTimeout')
    await executor.close()
    expect([server.connections, server.sessions]).toEqual([0, 0])
  })

  it('ignores messages of other blocks, and data that is not a message', async () => {
    const play = (cell: FakeCell): void => {
      cell.announce('stream', { name: 'stdout', text: 'of another\n' })
      cell.say('stream', { name: 'stdout', text: { no: 'text' } })
      cell.say('status', { execution_state: 'idle' })
      cell.say('stream', { name: 'stdout', text: 'late\n' })
      cell.end()
    }
    const { executor } = await started({ play })
    expect((await executor.executeCodeBlocks(python('a'))).output).toBe('late\n')
  })

  it('is replaced after a restart', async () => {
    const { server, executor } = await started()
    await executor.executeCodeBlocks(python('a'))
    await executor.restart()
    await executor.executeCodeBlocks(python('b'))
    expect(server.calls.filter((call) => call === 'POST /api/sessions')).toHaveLength(2)
  })

  it.each<[what: string, settings: Partial<JupyterSettings>, text: string]>([
    ['with another token', { token: 'wrong' }, 'correct `token`'],
    ['without a token', { token: undefined }, 'correct `token`'],
    ['by a kernel that is not there', { kernel: 'julia' }, 'has no kernel `julia`, it has: usual, other'],
    ['where nobody answers', { url: 'http://127.0.0.1:1/?token=secret' }, 'at http://127.0.0.1:1/ does not answer'],
  ])('says why it does not run: %s', async (_, settings, text) => {
    const { executor } = await started({}, settings)
    const { exitCode, output } = await executor.executeCodeBlocks(python('a'))
    expect([exitCode, output.includes(text), output.includes('secret')]).toEqual([1, true, false])
  })

  it('refuses another language, and an invalid address', async () => {
    const { executor } = await started({ language: 'R' })
    expect((await executor.executeCodeBlocks(python('a'))).output).toContain('the kernel `usual` runs R')
    const { executor: lost } = await started({}, { url: 'localhost:8888' })
    await expect(lost.executeCodeBlocks(python('a'))).rejects.toMatchObject({ code: 'invalid-argument' })
    const misspelt = { kernelName: 'other' } as Partial<JupyterSettings>
    const { executor: wrong } = await started({}, misspelt)
    await expect(wrong.executeCodeBlocks(python('a'))).rejects.toThrow('kernelName')
  })

  it('reports the isolation of its settings, and sends its token only to the server', async () => {
    const { executor } = await started({}, { isolation: 'container' })
    const { blocks } = await executor.executeCodeBlocks(python('a'))
    expect([executor.isolation, blocks![0]!.isolation]).toEqual(['container', 'container'])
    expect(existsSync(executor.workDir!)).toBe(true)
  })
})
