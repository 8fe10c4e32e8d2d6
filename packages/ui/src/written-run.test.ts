import { expect, it } from 'vitest'
import { RunBuffer, toAgUiResponse, toSseResponse, toUiMessageResponse, toUiMessageStream } from './index.ts'

it.each<[string, (events: never) => unknown]>([
  ['toUiMessageResponse', (events) => toUiMessageResponse(events)],
  [
    'toAgUiResponse',
    (events) => toAgUiResponse(events, { input: { threadId: 't', runId: 'r', messages: [] } } as never),
  ],
  ['toSseResponse', (events) => toSseResponse(events)],
  ['RunBuffer', (events) => new RunBuffer().keep('key', events)],
])('%s refuses what is not a stream of events, and says what to give', (_, write) => {
  const refusal = (text: string): object =>
    expect.objectContaining({ code: 'invalid-argument', message: text }) as object
  const remedy = 'give `agent.runStream(question)`, or what `host.events(id)` returns'
  const attempt = 'cannot write a run for a page: its events are'
  expect(() => write(Promise.resolve() as never)).toThrow(refusal(`${attempt} a promise; ${remedy}`))
  for (const events of [undefined, null, 'Hello.', {}])
    expect(() => write(events as never)).toThrow(refusal(`${attempt} not a stream; ${remedy}`))
})

it.each([[undefined], [null], [Object.create(null)]])('tells a page how a run ends that throws %o', async (thrown) => {
  const noEvents = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) as const }) }
  const errorText = ({ code, message }: { readonly code: string | null; readonly message: string }): string =>
    `${code} ${message}`
  const saving = (): never => {
    throw thrown
  }
  const chunks: unknown[] = []
  for await (const chunk of toUiMessageStream(noEvents, { onEnd: saving, errorText })) chunks.push(chunk)
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' })
  const text = thrown === null || thrown === undefined ? String(thrown) : 'the run has failed'
  expect(chunks).toContainEqual({ type: 'error', errorText: `null ${text}` })
})
