import { scriptedModel } from '@x/testing'
import { expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { AssistantAgent } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const City = z.object({ name: z.string(), people: z.number().int() })
const assistant = (...replies: string[]): [AssistantAgent, ReturnType<typeof scriptedModel>] => {
  const model = scriptedModel(replies)
  return [new AssistantAgent({ name: 'assistant', llmConfig: model, io: recordingIo() }), model]
}
const options = { result: City, maxTurns: 1 }

it.each([
  ['bare', '{"name": "Oslo", "people": 700000}'],
  ['in a fence', 'Here it is:\n```json\n{"name": "Oslo", "people": 700000}\n```\nTERMINATE'],
  ['inside prose', 'The answer is {"name": "Oslo", "people": 700000}. TERMINATE'],
])('reads a result that stands %s, in every face', async (_, reply) => {
  const [agent, model] = assistant(reply)
  const { result, messages } = await agent.run('Norway?', options)
  expectTypeOf(result).toEqualTypeOf<{ name: string; people: number }>()
  expect(result).toEqual({ name: 'Oslo', people: 700000 })
  expect(model.calls[0]!.messages.at(-1)!.content).toContain('"people"')
  expect(messages.map(({ content }) => content)).toEqual(['Norway?', reply])
  expect(assistant(reply)[0].runSync('Norway?', options).result).toEqual(result)
  const stream = assistant(reply)[0].runStream('Norway?', options)
  for (;;) {
    const item = await stream.next()
    if (!item.done) continue
    expect(item.value.result).toEqual(result)
    break
  }
})

it('sends an answer that does not fit back with what is wrong, and counts the calls', async () => {
  const [agent, model] = assistant('Oslo', '{"name": "Oslo"}', '{"name": "Oslo", "people": 700000}')
  const { result, messages } = await agent.run('Norway?', options)
  expect(result.people).toBe(700000)
  expect(messages.map(({ content }) => content)).toEqual([
    'Norway?',
    'Oslo',
    expect.stringContaining('it is not JSON'),
    '{"name": "Oslo"}',
    expect.stringContaining('people: '),
    '{"name": "Oslo", "people": 700000}',
  ])
  expect(model.calls).toHaveLength(3)
})

it('gives up after the repairs with a clear error', async () => {
  const [agent] = assistant('one', 'two')
  await expect(agent.run('Norway?', { ...options, resultRepairs: 1 })).rejects.toMatchObject({
    code: 'invalid-result',
    message: expect.stringContaining('after 2 attempts'),
  })
})

it('leaves the word that ends a chat in the texts of a result', async () => {
  const agent = assistant('{"what": "TERMINATE the job"} TERMINATE', '5 TERMINATE')[0]
  const { result } = await agent.run('Which?', { result: z.object({ what: z.string() }) })
  expect(result).toEqual({ what: 'TERMINATE the job' })
  expect((await agent.run('How many?', { result: z.number() })).result).toBe(5)
})
