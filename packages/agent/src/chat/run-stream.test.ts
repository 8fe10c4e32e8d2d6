import type { EventStream, XEvent } from '@x/interfaces'
import { expect, it } from 'vitest'
import { Steering } from '../run/steering.ts'
import { runStreamOf } from './run-stream.ts'

const event = (type: XEvent['type'], fields: object = {}): XEvent =>
  ({ type, agent: 'bot', chatId: '1', index: 0, ...fields }) as unknown as XEvent

it('the texts of a run have an empty line where another model gives an answer anew', async () => {
  async function* tell(): AsyncGenerator<XEvent> {
    await Promise.resolve()
    yield* [event('answerBegin'), event('textDelta', { text: 'Half' }), event('answerBegin', { agent: 'other' })]
    yield* [event('answerBegin'), event('textDelta', { text: 'The ' }), event('textDelta', { text: 'whole.' })]
  }
  const stream = runStreamOf(tell() as unknown as EventStream<string>, 'bot', new Steering())
  const pieces: string[] = []
  for await (const piece of stream.textStream) pieces.push(piece)
  expect(pieces.join('')).toBe('Half\n\nThe whole.')
})
