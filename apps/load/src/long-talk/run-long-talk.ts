import { seededRandom } from '@x/reasoning'
import { chaos } from '@x/testing/hosting'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { longTalk, longTalkHost, longTalkValue } from './long-talk-host.ts'

/** Options of {@link runLongTalk}. */
interface LongTalkOptions {
  /** URL of the store, or the path of a file, which one worker has. */
  readonly store: string
  readonly messages: number
  readonly workers: number
  /** Most messages that are sent before those before them are answered. */
  readonly atOnce: number
  /** Number of workers that are killed. */
  readonly kills: number
  /** Seconds between two kills, at most. */
  readonly every: number
  /** Seed of the moments at which workers are killed, and of the messages that are sent at once. */
  readonly seed: number
  /** Receives a line now and then. */
  readonly log?: ((line: string) => void) | undefined
}

/** The end of a long conversation. */
interface LongTalkReport {
  readonly value: unknown
  readonly expected: unknown
  readonly chaos: Awaited<ReturnType<typeof chaos>>
  /** The most entries and messages that a claim has read. */
  readonly most: { readonly entries: number; readonly unread: number }
  readonly seconds: number
}

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))
const ID = 'long-talk'
const LOGGED_MESSAGES = 1000
/** Seconds that a message may take, kills included. */
const MESSAGE_TIMEOUT_S = 0.2

/** Sends a conversation its messages, each twice now and then, while its workers are killed, and returns how it has ended. */
export async function runLongTalk(options: LongTalkOptions): Promise<LongTalkReport> {
  const { store, messages, atOnce, workers, kills, every, seed, log = () => {} } = options
  const drawNamed = seededRandom(seed)
  let drawn = 0
  const random = (): number => drawNamed(String(drawn++))
  const folder = mkdtempSync(join(tmpdir(), 'long-talk-'))
  const notes = join(folder, 'claims.jsonl')
  const host = longTalkHost(store)
  const began = performance.now()
  let sent = 0
  const send = async (number: number): Promise<void> => {
    // A caller that has lost the answer sends a message again.
    const times = random() < 0.1 ? 2 : 1
    for (let time = 0; time < times; time++)
      await host.send(ID, number === messages ? 'end' : number, { id: `message-${number}` })
    if (number % LOGGED_MESSAGES === 0) log(`${number} messages after ${secondsSince(began).toFixed(0)} s`)
  }
  let isOver = false
  const talk = async (): Promise<void> => {
    for (;;) {
      const chat = await host.get(ID)
      isOver ||= chat!.outcome !== null
      if (isOver) return
      const next = chat!.state === 'suspended' ? Math.min(messages + 1, sent + Math.ceil(random() * atOnce)) : sent
      for (let number = sent; number < next; number++) await send(number)
      sent = next
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  try {
    await host.submit(longTalk(), {}, { id: ID })
    const talking = talk()
    const report = await chaos({
      start: () => spawn(process.execPath, ['--conditions=@x/source', WORKER, store, notes], { stdio: 'inherit' }),
      ...{ workers, blows: ['SIGKILL'], most: kills, every, random },
      timeout: 60 + messages * MESSAGE_TIMEOUT_S + kills * every,
      isDone: () => isOver,
    }).finally(() => (isOver = true))
    await talking
    const value = await host.result(ID)
    const expected = longTalkValue(messages)
    return { value, expected, chaos: report, most: mostIn(notes), seconds: secondsSince(began) }
  } finally {
    await host.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const secondsSince = (began: number): number => (performance.now() - began) / 1000

function mostIn(notes: string): LongTalkReport['most'] {
  const lines = existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').filter(Boolean) : []
  const all = lines.map((line) => JSON.parse(line) as LongTalkReport['most'])
  const most = (key: keyof LongTalkReport['most']): number => Math.max(...all.map((each) => each[key]))
  return { entries: most('entries'), unread: most('unread') }
}
