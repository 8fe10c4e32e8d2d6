import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createCodeExecutor } from '../create-code-executor.ts'
import type { BlockExecutor } from '../executor.ts'
import { fakeEngine, frame, type Answers } from './engine.fake.ts'
import { frameReader, engineSockets } from './engine.ts'

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})
const withEngine = async (answers: Answers = {}): Promise<{ executor: BlockExecutor; calls: string[] }> => {
  const { socket, calls, close } = await fakeEngine(answers)
  const executor = createCodeExecutor('container', { socket, timeout: 1 })
  cleanUps.push(() => executor.close(), close)
  return { executor, calls }
}
const block = [{ language: 'sh', code: 'echo' }]

describe('an engine that fails', () => {
  const before: [what: string, answers: Answers, text: string][] = [
    [
      'refuses the image',
      {
        'GET image': (r) => void r.writeHead(404).end('{}'),
        'POST pull': (r) => void r.writeHead(500).end('{"message":"no network"}'),
      },
      'pull the image',
    ],
    [
      'fails in the middle of a pull',
      {
        'GET image': (r) => void r.writeHead(404).end('{}'),
        'POST pull': (r) => void r.end('{"status":"Pulling"}\n{"error":"manifest unknown"}\n'),
      },
      'pull the image',
    ],
    ['makes no container', { 'POST create': (r) => void r.writeHead(500).end('{"message":"disk full"}') }, 'disk full'],
    [
      'starts no container',
      { 'POST start': (r) => void r.writeHead(500).end('{"message":"runc failed"}') },
      'runc failed',
    ],
    ['speaks no JSON', { 'POST exec': (r) => void r.writeHead(201).end('<html>') }, 'run a command'],
    [
      'cuts an answer off',
      {
        'GET container': (r) => {
          r.writeHead(200, { 'content-length': '100' }).write('{')
          setImmediate(() => r.destroy())
        },
      },
      'broke off',
    ],
  ]
  it.each(before)('%s: `no-sandbox`', async (_, answers, text) => {
    const { executor } = await withEngine(answers)
    const error: unknown = await executor.executeCodeBlocks(block).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'no-sandbox', message: expect.stringContaining(text) as unknown })
  })

  it('dies while code runs: the block fails, and the next one starts anew', async () => {
    let runs = 0
    const { executor, calls } = await withEngine({
      'POST run': (response) => {
        // After setting up, probing, saving and looking for `sh`, the block itself.
        if (++runs !== 4) return void response.end(frame(1, 'ran\n'))
        response.write(frame(1, 'half'))
        setImmediate(() => response.destroy())
      },
    })
    const cut = await executor.executeCodeBlocks(block)
    expect(cut.blocks?.[0]).toMatchObject({ reason: 'engine', exitCode: 1 })
    expect((await executor.executeCodeBlocks(block)).exitCode).toBe(0)
    expect(calls.filter((call) => call === 'POST create')).toHaveLength(2)
  })

  it('uses a container that another thread made first, and removes it once', async () => {
    const { executor, calls } = await withEngine({
      'POST create': (r) => void r.writeHead(409).end('{"message":"in use"}'),
    })
    expect((await executor.executeCodeBlocks(block)).output).toBe('ran\n')
    await executor.close()
    expect(calls.filter((call) => call === 'DELETE container')).toHaveLength(1)
  })
})

it.each([
  ['has killed a process of the block', 'oom_kill 2\n', 'memory', '\nStopped: it used too much memory'],
  ['has killed none since', 'oom_kill 1\nregular file/1/./oom_kill 9\n', 'exit', ''],
])('says that memory was short where the kernel %s', async (_, after, reason, output) => {
  let runs = 0
  const { executor } = await withEngine({
    'POST run': (response) => {
      runs++
      // The third command saves the block, the fourth is the block, the fifth ends what it left.
      response.end(runs === 4 ? '' : frame(1, runs === 3 ? 'oom_kill 1\n' : runs === 5 ? after : 'ran\n'))
    },
    'GET exec': (response) => void response.end(JSON.stringify({ ExitCode: runs === 4 ? 137 : 0 })),
  })
  expect(await executor.executeCodeBlocks(block)).toMatchObject({ exitCode: 137, output, blocks: [{ reason }] })
})

it('says that the files are gone where a block could only be ended with its container', async () => {
  let runs = 0
  const { executor, calls } = await withEngine({
    'POST run': (response) => (runs++, void response.end(frame(2, 'Cannot fork\n'))),
    // The fifth command ends what the block has left, and fails.
    'GET exec': (response) => void response.end(JSON.stringify({ ExitCode: runs === 5 ? 1 : 0 })),
  })
  const { output, exitCode } = await executor.executeCodeBlocks(block)
  expect(calls).toContain('DELETE container')
  expect(exitCode).toBe(0)
  expect(output).toBe(
    'Cannot fork\n\nThe container had to be removed, and all files with it; the next block gets a new one.\n',
  )
})

it('runs code for a time with a fraction of a millisecond', async () => {
  const { socket, close } = await fakeEngine({})
  const executor = createCodeExecutor('container', { socket, timeout: 16.1 })
  cleanUps.push(() => executor.close(), close)
  expect(await executor.executeCodeBlocks(block)).toMatchObject({ exitCode: 0, output: 'ran\n' })
})

it('splits output into frames, wherever it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(1 as const, 2 as const), fc.string())),
      fc.integer({ min: 1, max: 20 }),
      (frames, size) => {
        const bytes = Buffer.concat(frames.map(([stream, text]) => frame(stream, text)))
        const received = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
        const read = frameReader((stream, data) => received[stream].push(Buffer.from(data)))
        for (let from = 0; from < bytes.length; from += size) read(bytes.subarray(from, from + size))
        const text = (number: 1 | 2): string =>
          frames
            .filter(([stream]) => stream === number)
            .map(([, part]) => part)
            .join('')
        expect([Buffer.concat(received.stdout).toString(), Buffer.concat(received.stderr).toString()]).toEqual([
          text(1),
          text(2),
        ])
      },
    ),
  )
})

it('looks for an engine only where `DOCKER_HOST` points', () => {
  expect(engineSockets({ DOCKER_HOST: 'unix:///x/y.sock' })).toEqual(['/x/y.sock'])
  expect(engineSockets({ DOCKER_HOST: 'tcp://10.0.0.1:2375' })).toEqual([])
})

describe('the option `runtime`', () => {
  const answersOf = (...bodies: object[]): Answers => {
    const container = [undefined, ...bodies]
    return {
      'GET container': (response) => {
        const body = container.shift()
        response.writeHead(body ? 200 : 404).end(JSON.stringify(body ?? {}))
      },
    }
  }

  it.each<[engine: string, answers: object[]]>([
    ['Docker', [{ HostConfig: { Runtime: 'runsc' } }]],
    ['Podman', [{ HostConfig: { Runtime: 'oci' } }, { OCIRuntime: 'runsc' }]],
  ])('is requested and then verified: %s', async (_, answers) => {
    const { socket, bodies, close } = await fakeEngine(answersOf(...answers))
    const executor = createCodeExecutor('container', { socket, runtime: 'runsc' })
    cleanUps.push(() => executor.close(), close)
    expect((await executor.executeCodeBlocks(block)).output).toBe('ran\n')
    expect(bodies.some((body) => body.includes('"Runtime":"runsc"'))).toBe(true)
  })

  it('is not silently replaced by another runtime', async () => {
    const { socket, calls, close } = await fakeEngine(
      answersOf({ HostConfig: { Runtime: 'runc' } }, { OCIRuntime: 'runc' }),
    )
    const executor = createCodeExecutor('container', { socket, runtime: 'runsc' })
    cleanUps.push(() => executor.close(), close)
    const error: unknown = await executor.executeCodeBlocks(block).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'no-sandbox', message: expect.stringContaining('`runsc`') as unknown })
    expect(calls).toContain('DELETE container')
    expect(calls).not.toContain('POST start')
  })
})
