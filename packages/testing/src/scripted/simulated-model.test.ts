import { expect, it } from 'vitest'
import { simulatedModel } from './simulated-model.ts'

const options = {
  calls: [
    { when: /weather in (\w+)/iu, name: 'weather', arguments: ([, city]: RegExpExecArray) => ({ city }) },
    { when: /weather/iu, name: 'weather', arguments: () => ({ city: 'here' }) },
  ],
  about: 'I am  simulated.',
}

it('calls the first tool that fits the last message, and says what the tool said', async () => {
  const model = simulatedModel({ ...options, pace: 0 }).createModel()
  const asked = await model.create({ messages: [{ role: 'user', content: 'The weather in Oslo?' }] })
  const [call] = asked.choices[0]!.message.tool_calls!
  expect(call!.function).toEqual({ name: 'weather', arguments: '{"city":"Oslo"}' })
  const said = await model.create({ messages: [{ role: 'tool', tool_call_id: call!.id, content: 'rain' }] })
  expect(said.choices[0]!.message.content).toBe('The tool says: rain')
  expect(said.model).toBe('simulated')
})

it('streams what it is, where no tool fits, word by word', async () => {
  const stream = simulatedModel({ ...options, pace: 1 })
    .createModel()
    .createStream({
      messages: [{ role: 'user', content: 'Hello' }],
    })
  const words: string[] = []
  for await (const event of stream) if (event.type === 'textDelta') words.push(event.text)
  expect(words).toEqual(['I ', 'am  ', 'simulated.'])
})
