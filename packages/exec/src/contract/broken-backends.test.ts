import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { codeExecutorContract, type ContractRunner } from '@x/testing'
import { describe, expect, test } from 'vitest'
import { createCustomExecutor } from '../create-custom-executor.ts'
import type { BackendFactory } from '../custom/backend.ts'

/** The fault of a backend. */
interface Faults {
  readonly encoding?: BufferEncoding
  /** Decodes each piece of output by itself. */
  readonly decodesPieces?: boolean
  /** Gives the code as an argument of a command. */
  readonly codeAsArgument?: boolean
  /** Stops all jobs when one is stopped. */
  readonly stopsAll?: boolean
  /** Lets a stopped job run until the backend is closed. */
  readonly stopsAtClose?: boolean
  /** Asks a stopped job to end, which code need not do. */
  readonly stopSignal?: NodeJS.Signals
  /** Exit code of a process that a signal has ended. */
  readonly killedCode?: number
}

/** Makes a backend of processes without `module`, and with these faults. */
const broken = (faults: Faults): BackendFactory => ({
  isolation: 'host',
  specVersion: 1,
  createBackend({ workDir }) {
    const children = new Set<ChildProcess>()
    return {
      fault: () => null,
      async run({ file, code }, { signal, onOutput }) {
        const args = faults.codeAsArgument ? ['-e', code] : [`./${file}`]
        const child = spawn(process.execPath, args, { cwd: workDir, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
        children.add(child)
        for (const stream of ['stdout', 'stderr'] as const) {
          if (!faults.decodesPieces) child[stream].setEncoding(faults.encoding ?? 'utf8')
          child[stream].on('data', (piece: Buffer | string) => onOutput({ stream, text: piece.toString() }))
        }
        const left = Promise.withResolvers<[number]>()
        const stop = (): void => {
          if (faults.stopsAtClose) left.resolve([137])
          else for (const each of faults.stopsAll ? children : [child]) each.kill(faults.stopSignal ?? 'SIGKILL')
        }
        signal.addEventListener('abort', stop)
        const [exitCode] = (await Promise.race([once(child, 'close'), left.promise])) as [number | null]
        signal.removeEventListener('abort', stop)
        return { exitCode: exitCode ?? faults.killedCode ?? 137 }
      },
      close() {
        for (const child of children) child.kill('SIGKILL')
      },
    }
  },
})

const CHARACTERS = 'runs code of any length and with any character as it is'
const OTHERS = 'stops one call, and lets another go on that runs at once'
const LEFT = 'ends the processes of a call that is stopped, also while the executor is open'
const KILLED = 'takes no program for a success that was killed'
const BLOCKING = 'refuses blocking calls'

/** Runs one test of the suite with a backend, and tells whether it fails. */
async function fails(faults: Faults, title: string): Promise<boolean> {
  const tests = new Map<string, () => Promise<void>>()
  const runner: ContractRunner = {
    describe: (_, body) => body(),
    test: (name, body) => void tests.set(name, body),
    expect,
  }
  codeExecutorContract(runner, {
    create: ({ timeout, outputBytes }) => createCustomExecutor(broken(faults), { timeout, limits: { outputBytes } }),
    ...{ language: 'javascript', isolation: 'host', files: true, blocking: false },
  })
  return await tests.get(title)!().then(
    () => false,
    () => true,
  )
}

describe('a backend without `module`', () => {
  test.each([CHARACTERS, OTHERS, LEFT, KILLED, BLOCKING])('keeps to: %s', async (title) => {
    expect(await fails({}, title)).toBe(false)
  })
})

test.each<[string, Faults, string]>([
  ['reads bytes as characters', { encoding: 'latin1' }, CHARACTERS],
  ['decodes pieces', { decodesPieces: true }, CHARACTERS],
  ['gives code as an argument', { codeAsArgument: true }, CHARACTERS],
  ['stops all jobs', { stopsAll: true }, OTHERS],
  ['stops jobs when it is closed', { stopsAtClose: true }, LEFT],
  ['asks jobs to end', { stopSignal: 'SIGTERM' }, LEFT],
  ['takes a killed job for a success', { killedCode: 0 }, KILLED],
])('a backend that %s is found out', async (_, faults, title) => {
  expect(await fails(faults, title)).toBe(true)
})
