import { expect, it } from 'vitest'
import { RunBuffer, toAgUiResponse, toSseResponse, toUiMessageResponse } from './index.ts'

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
