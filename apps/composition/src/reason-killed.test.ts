import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage, ReasonMethod } from '@x/interfaces'
import { startFakeOpenAI, type ChatRequest, type FakeOpenAI, type ServerReply } from '@x/testing'
import { questionOf, StandInClient } from '@x/game-of-24'
import { afterEach, beforeEach, expect, it } from 'vitest'

const QUESTION = questionOf('4 5 6 10')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reason-killed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A server whose model plays the game; it says of every call that it has come, and answers what it is let. */
function startGame(answers: (call: number) => boolean): Promise<FakeOpenAI> {
  const standIn = new StandInClient()
  let calls = 0
  const reply = ({ messages }: ChatRequest): ServerReply => {
    if (!answers(++calls)) return { failure: 'hang' }
    const answer = standIn.create({ messages: messages as unknown as ChatMessage[] }, { sample: 0 })
    const [content = null] = standIn.messageRetrieval(answer)
    return { content: typeof content === 'string' ? content : null }
  }
  return startFakeOpenAI({ models: { m: reply } })
}

/** The command in a process of its own, as a person runs it. */
function startReason(url: string, method: ReasonMethod): { child: ChildProcess; output: () => string } {
  const main = new URL('../../../packages/cli/src/main.ts', import.meta.url).pathname
  const files = ['--journal', join(folder, 'journal.jsonl')]
  const options = ['--method', method, '--max-depth', '3', '--concurrency', '4', '--base-url', url, '--model', 'm']
  const child = spawn(process.execPath, ['--conditions=@x/source', main, 'reason', QUESTION, ...options, ...files], {
    // Without its compile cache, each program takes the types out of its sources anew.
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      OPENAI_API_KEY: 'sk-test',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => (text += String(piece)))
  return { child, output: () => text }
}

async function run(url: string, method: ReasonMethod): Promise<string> {
  const { child, output } = startReason(url, method)
  await once(child, 'close')
  expect(child.exitCode).toBe(0)
  return output()
}

it.each<ReasonMethod>(['beam_search', 'depth_first'])(
  'a search by %s that is killed half way goes on from its journal, and asks nothing twice that was answered',
  { timeout: 60_000 },
  async (method) => {
    await using whole = await startGame(() => true)
    const wanted = await run(whole.url, method)
    const total = whole.requests.length
    rmSync(join(folder, 'journal.jsonl'))
    const half = Math.floor(total / 2)
    await using first = await startGame((call) => call <= half)
    const { child } = startReason(first.url, method)
    const closed = once(child, 'close')
    await first.requested(half + 1)
    child.kill('SIGKILL')
    await closed
    expect(child.signalCode).toBe('SIGKILL')
    const kept = readFileSync(join(folder, 'journal.jsonl'), 'utf8').split('\n').slice(1).filter(Boolean).length
    expect(kept).toBeGreaterThan(half - 4)

    await using second = await startGame(() => true)
    expect(await run(second.url, method)).toBe(wanted)
    expect(second.requests.length).toBe(total - kept)
  },
)
