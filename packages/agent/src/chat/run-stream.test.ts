import type { EventStream, XEvent } from '@x/interfaces'
import { scriptedModel } from '@x/testing'
import { expect, it, vi } from 'vitest'
import { AssistantAgent } from '../index.ts'
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

it('a run asks its model for no more pieces than its reader takes', async () => {
  const script = scriptedModel(['one two three four five'])
  const model = script.createModel({})
  const create = model.createStream.bind(model)
  const asked = vi.fn<() => void>()
  model.createStream = (...call) => {
    const stream = create(...call)
    const next = stream.next.bind(stream)
    stream.next = async () => (asked(), await next())
    return stream
  }
  const llmConfig = { ...script, where: script.where, createModel: () => model }
  let pieces = 0
  for await (const { type } of new AssistantAgent({ name: 'bot', silent: true, llmConfig }).runStream('Go.'))
    if (type === 'textDelta' && ++pieces === 2) break
  // The beginning, and two pieces.
  expect(asked).toHaveBeenCalledTimes(3)
})
