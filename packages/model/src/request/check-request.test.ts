import { describe, expect, it } from 'vitest'
import { fakeProvider, hello } from '../fakes/provider.fake.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'

const toolOf = (name: string, description: string) => ({
  type: 'function' as const,
  function: { name, description, parameters: { type: 'object' } },
})

describe('the tools of a request', () => {
  const { provider } = fakeProvider(['fine', 'fine'])
  const wrapper = new ModelWrapper({
    providers: [provider],
    configList: [{ model: 'a', apiType: 'fake' }],
    cacheSeed: null,
  })

  it('are refused when they have a function that nobody would call', async () => {
    const tools = [{ name: 'find', description: 'd', parameters: {}, execute: () => 1 }]
    await expect(wrapper.create({ messages: hello, tools })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('give the tool to an agent'),
    })
  })

  it('are refused when two different ones have one name', async () => {
    const tools = [toolOf('find', 'in books'), toolOf('add', 'numbers'), toolOf('find', 'in letters')]
    await expect(wrapper.create({ messages: hello, tools })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('two different `tools` of the request are both named `find`'),
    })
  })

  it('may hold one tool twice, and tools of the provider', async () => {
    const tools = [toolOf('find', 'in books'), toolOf('find', 'in books'), { type: 'web_search' } as never]
    await expect(wrapper.create({ messages: hello, tools })).resolves.toMatchObject({ passFilter: true })
  })
})
