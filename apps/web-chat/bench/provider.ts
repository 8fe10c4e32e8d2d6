import { startFakeOpenAI, type ChatRequest, type FakeOpenAI, type ServerReply } from '@x/testing'
import { answerTo, PRICE } from './script.ts'

/** What the provider has counted. */
export interface ProviderCounts {
  readonly requests: number
  /** Requests by their fault. */
  readonly faults: Readonly<Record<string, number>>
  /** US dollars that it bills. */
  readonly billed: number
  /** Those of them that nobody can foresee: answers that broke, as far as they cost more than their texts tell. */
  readonly unforeseen: number
  /** Most requests in any minute. */
  readonly mostInMinute: number
}

/** A fake provider with faults, which bills what it answers, also to callers who have gone. */
export interface FaultyProvider extends AsyncDisposable {
  readonly url: string
  readonly counts: ProviderCounts
  /** While true, four of five requests are answered with 503. */
  storm: boolean
  /** While false, no request has a fault. */
  faults: boolean
}

/** Milliseconds between two words, on average. */
const WORD_MS = 15

/** Starts the provider; `random` returns numbers in [0, 1). */
export async function startProvider(random: () => number): Promise<FaultyProvider> {
  const faults: Record<string, number> = {}
  const times: number[] = []
  const state = { storm: false, faults: true }
  let billed = 0
  let unforeseen = 0
  const note = (fault: string): void => void (faults[fault] = (faults[fault] ?? 0) + 1)

  function reply({ messages }: ChatRequest): ServerReply {
    times.push(performance.now())
    if (state.storm && random() < 0.8) {
      note('503')
      return { failure: '503' }
    }
    const chance = state.faults ? random() : 1
    if (chance < 0.01) {
      note('429')
      return { failure: '429', retryAfter: 1 }
    }
    const { content, tool_calls, more } = answerTo(messages)
    const usage = {
      prompt: Math.ceil(JSON.stringify(messages).length / 4) + more,
      completion: Math.ceil((content ?? JSON.stringify(tool_calls)).length / 4),
    }
    billed += (usage.prompt * PRICE[0] + usage.completion * PRICE[1]) / 1000
    const answer = { content, usage, ...(tool_calls && { tool_calls }) }
    if (chance < 0.03) {
      unforeseen += (more * PRICE[0]) / 1000
      const failure = chance < 0.02 ? 'cut' : 'reset-midway'
      note(failure)
      return { failure, answer, firstTokenAfter: WORD_MS }
    }
    if (chance < 0.06) {
      note('slow')
      return { ...answer, firstTokenAfter: 2000 + random() * 2000 }
    }
    return { ...answer, firstTokenAfter: 100 + random() * 200 }
  }

  const server: FakeOpenAI = await startFakeOpenAI({ replies: reply })
  return {
    url: server.url,
    get counts() {
      let [first, most] = [0, 0]
      for (const [last, time] of times.entries()) {
        while (time - times[first]! >= 60_000) first++
        most = Math.max(most, last - first + 1)
      }
      return { requests: times.length, faults, billed, unforeseen, mostInMinute: most }
    },
    get storm() {
      return state.storm
    },
    set storm(storm) {
      state.storm = storm
    },
    get faults() {
      return state.faults
    },
    set faults(on) {
      state.faults = on
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
