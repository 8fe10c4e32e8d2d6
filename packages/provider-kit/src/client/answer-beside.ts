import type { ModelAnswer } from '@x/interfaces'
import { answerHeaders, type ResponseHeaders } from '../http/answer-headers.ts'
import type { Wire } from './dialect.ts'
import type { ReadExtras } from './request-extras.ts'

/** Collects what an answer has beside what its reader makes of it: headers and, on request, what the provider sent. */
export class AnswerBeside {
  readonly #wire: Wire
  readonly #extras: ReadExtras | undefined
  readonly #raw: unknown[] | undefined
  #headers: Record<string, string> | undefined

  constructor(wire: Wire, extras: ReadExtras | undefined) {
    this.#wire = wire
    this.#extras = extras
    this.#raw = extras?.raw ? [] : undefined
  }

  /** Takes the headers of the response. */
  readonly onHeaders = (headers: ResponseHeaders): void => {
    this.#headers = answerHeaders(headers, [...this.#wire.secrets, ...(this.#extras?.secrets ?? [])])
  }

  /** Returns the frames of a stream; on request, they are collected. */
  watched(source: AsyncIterable<readonly unknown[]>): AsyncIterator<readonly unknown[]> {
    const frames = source[Symbol.asyncIterator]()
    const raw = this.#raw
    if (!raw) return frames
    return {
      async next() {
        const next = await frames.next()
        if (!next.done) raw.push(...next.value)
        return next
      },
      return: async () => (await frames.return?.()) ?? { done: true, value: undefined },
    }
  }

  /** Returns an answer with what was collected; `body` is that of a complete one. */
  added(answer: ModelAnswer, body?: unknown): ModelAnswer {
    if (this.#headers) answer.headers = this.#headers
    // Plain data: some SDKs add functions to it.
    if (this.#raw) answer.raw = JSON.parse(JSON.stringify(body ?? this.#raw)) as unknown
    return answer
  }
}
