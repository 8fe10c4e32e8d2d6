import type { ToolSchema } from '@x/interfaces'
import { scriptedProvider } from '@x/testing'
import { expect, test } from 'vitest'
import { llmConfig } from '../index.ts'

const schema = (name: string): ToolSchema => ({ type: 'function', function: { name, description: name } })

const messages = [{ role: 'user', content: 'hi' } as const]

function model() {
  const provider = scriptedProvider(['one', 'two'])
  const configList = [{ model: 'm', apiType: 'scripted', tools: [schema('look')] }]
  return { provider, its: llmConfig({ providers: [provider], configList, cacheSeed: null }).createModel() }
}

test('tools of a request follow those of the config, for this request alone', async () => {
  const { provider, its } = model()
  await its.create({ messages, moreTools: [schema('go')] })
  await its.create({ messages })
  expect(provider.calls.map(({ tools }) => tools.map((each) => each.function.name))).toEqual([['look', 'go'], ['look']])
})

test('a tool of a name that the config has is refused', async () => {
  const twin = { type: 'function', function: { name: 'look', description: 'other' } } as const
  await expect(model().its.create({ messages, moreTools: [twin] })).rejects.toMatchObject({ code: 'invalid-argument' })
})

test('the error for a message that is not an object names its index', async () => {
  const odd = [...messages, null] as unknown as typeof messages
  await expect(model().its.create({ messages: odd })).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('message 1 is not an object') as unknown,
  })
})
