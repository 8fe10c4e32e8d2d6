import type { ConfigEntry, ModelAnswer, ModelEvent, ModelParams, Provider } from '@x/interfaces'
import { collectStream } from './collect-stream.ts'
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

/** Recorded answer of a provider: a body, the data of a stream's events, or the lines of newline-delimited JSON. */
export type RecordedAnswer =
  | { readonly whole: unknown }
  | { readonly frames: readonly unknown[] }
  | { readonly lines: readonly unknown[] }

/** Sends one request through an adapter to a recorded answer; for tests of single cases. */
export async function exchange(
  provider: Provider,
  config: ConfigEntry,
  params: ModelParams,
  recorded: RecordedAnswer,
): Promise<Exchange> {
  const isStream = !('whole' in recorded)
  const [text, type] = textOf(recorded)
  const { fetch, requests } = fakeFetch(() => ({ headers: { 'content-type': type }, pieces: bytesOf(text) }))
  const client = provider.createClient({
    apiKey: 'none',
    baseUrl: 'http://case.invalid',
    maxRetries: 0,
    ...config,
    fetch,
  })
  const warnings: [string, string][] = []
  const warn = (topic: string, message: string): void => void warnings.push([topic, message])
  const bodyOf = (): Record<string, unknown> => JSON.parse(requests[0]?.body ?? '{}') as Record<string, unknown>
  if (isStream) {
    const { events, answer, error } = await collectStream(client, params, undefined, warn)
    return { body: bodyOf(), answer, events, error, warnings }
  }
  try {
    const answer = await client.create(params, { warn })
    return { body: bodyOf(), answer, events: [], error: undefined, warnings }
  } catch (error) {
    return { body: bodyOf(), answer: undefined, events: [], error, warnings }
  }
}

function textOf(recorded: RecordedAnswer): [text: string, type: string] {
  if ('whole' in recorded) return [JSON.stringify(recorded.whole), 'application/json']
  if ('lines' in recorded) {
    return [recorded.lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 'application/x-ndjson']
  }
  return [recorded.frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''), 'text/event-stream']
}
