import { startFakeOpenAI, type FakeOpenAI } from '@x/testing'
import { answerTo, isHeld, readRequest } from './script.ts'

/** A fake provider that goes down and comes back. */
export interface FailingProvider extends AsyncDisposable {
  readonly url: string
  /** Times of all requests, in milliseconds of a monotonic clock. */
  readonly times: readonly number[]
  /** Number of requests that were answered with 503. */
  readonly refused: number
  /** Orders with a request under way, which waits until the provider goes down. */
  readonly held: ReadonlySet<number>
  goDown(): void
  comeBack(): void
}

/** Starts the provider. Every second refusal asks for `retryAfterMs`, as some providers do. */
export async function startProvider(retryAfterMs: number): Promise<FailingProvider> {
  const times: number[] = []
  const held = new Set<number>()
  const down = Promise.withResolvers<void>()
  let isDown = false
  let refused = 0
  const server: FakeOpenAI = await startFakeOpenAI({
    async replies(request) {
      times.push(performance.now())
      const read = readRequest(request)
      if (!isDown && isHeld(read)) {
        held.add(read.order)
        await down.promise
      }
      if (!isDown) return answerTo(read)
      refused++
      return { failure: '503', ...(refused % 2 === 0 && { retryAfter: { ms: retryAfterMs } }) }
    },
  })
  return {
    url: server.url,
    times,
    held,
    get refused() {
      return refused
    },
    goDown() {
      isDown = true
      down.resolve()
    },
    comeBack: () => void (isDown = false),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
