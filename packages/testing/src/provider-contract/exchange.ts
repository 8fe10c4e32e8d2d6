import type { ConfigEntry, ModelAnswer, ModelEvent, ModelParams, Provider } from '@x/interfaces'
import { collected } from './collected.ts'
import { bytesOf, fakeFetch } from './fake-fetch.ts'

/** One request and its outcome. */
export interface Exchange {
  /** The body that was sent. */
  readonly body: Record<string, unknown>
  readonly answer: ModelAnswer | undefined
  readonly events: readonly ModelEvent[]
  readonly error: unknown
  /** Topics and texts of warnings. */
  readonly warnings: readonly (readonly [topic: string, text: string])[]
}

/** Recorded answer of a provider: a body, or the data of a stream's frames. */
export type RecordedAnswer = { readonly whole: unknown } | { readonly frames: readonly unknown[] }

/** Sends one request through an adapter to a recorded answer; for tests of single cases. */
export async function exchange(
  provider: Provider,
  config: ConfigEntry,
  params: ModelParams,
  recorded: RecordedAnswer,
): Promise<Exchange> {
  const isStream = 'frames' in recorded
  const text = isStream
    ? recorded.frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
    : JSON.stringify(recorded.whole)
  const type = isStream ? 'text/event-stream' : 'application/json'
  const { fetch, sent } = fakeFetch(() => ({ headers: { 'content-type': type }, pieces: bytesOf(text) }))
  const client = provider.createClient({
    apiKey: 'none',
    baseUrl: 'http://case.invalid',
    maxRetries: 0,
    ...config,
    fetch,
  })
  const warnings: [string, string][] = []
  const warn = (topic: string, message: string): void => void warnings.push([topic, message])
  const bodyOf = (): Record<string, unknown> => JSON.parse(sent[0] ?? '{}') as Record<string, unknown>
  if (isStream) {
    const { events, answer, error } = await collected(client, params, undefined, warn)
    return { body: bodyOf(), answer, events, error, warnings }
  }
  try {
    const answer = await client.create(params, { warn, last: false })
    return { body: bodyOf(), answer, events: [], error: undefined, warnings }
  } catch (error) {
    return { body: bodyOf(), answer: undefined, events: [], error, warnings }
  }
}
