import { isXError } from '@x/kernel'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConversableAgent, tool } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const io = recordingIo()
const user = (): ConversableAgent => new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', io })

const book = tool({
  name: 'book',
  description: 'Books a table',
  parameters: z.object({ people: z.number().int().min(1), name: z.string().default('nobody') }),
  execute: ({ people, name }) => ({ people, name }),
})

const plain = tool({
  name: 'plain',
  description: 'Counts',
  parameters: {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'integer' } } },
    required: ['list'],
  },
  execute: ({ list }) => (list as number[]).length,
})

describe('a tool', () => {
  it('tells the model its JSON Schema', () => {
    expect(book.parameters).toEqual({
      type: 'object',
      properties: {
        people: expect.objectContaining({ type: 'integer', minimum: 1 }),
        name: { default: 'nobody', type: 'string' },
      },
      required: ['people'],
    })
  })

  it.each([
    ['fills in defaults and gives JSON', '{"people": 2}', true, '{"people":2,"name":"nobody"}'],
    [
      'says where the arguments do not fit',
      '{"people": 0}',
      false,
      'Error: the arguments of book do not fit its parameters: people: ',
    ],
    ['says what is missing', '{}', false, 'people: '],
    ['takes an empty text for no arguments', '', false, 'people: '],
    ['says that a text is no JSON', '{"people": ', false, 'The argument must be in JSON format.'],
    [
      'says that a number is none that JSON can write',
      '{"people": 1E+999}',
      false,
      'the number of people is too large',
    ],
    ['says that a list is no arguments object', '[1]', false, 'The argument must be in JSON format.'],
  ])('%s', async (_, args, success, says) => {
    const agent = user()
    agent.registerForExecution(book)
    for (const [done, { content }] of [
      agent.executeFunctionSync({ name: 'book', arguments: args }),
      await agent.executeFunction({ name: 'book', arguments: args }),
    ]) {
      expect(done).toBe(success)
      expect(content).toContain(says)
    }
  })

  it('checks plain JSON Schema with the path of what is wrong', () => {
    const agent = user()
    agent.registerForExecution(plain)
    const run = (args: string): unknown => agent.executeFunctionSync({ name: 'plain', arguments: args })[1].content
    expect(run('{"list": [1, 2]}')).toBe('2')
    expect(run('{"list": [1, "x"]}')).toContain('list.1: ')
    expect(run('{}')).toContain('"list"')
  })

  it('lets no key of its arguments reach a prototype', () => {
    const agent = user()
    let seen: object = {}
    agent.registerFunction({ look: (args: object) => ((seen = args), 'ok') })
    agent.executeFunctionSync({ name: 'look', arguments: '{"__proto__": {"polluted": true}, "a": 1}' })
    expect(seen).toEqual({ a: 1 })
    expect((seen as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('reads raw line ends and tabs inside texts', () => {
    const agent = user()
    agent.registerFunction({ echo: ({ text }: { text: string }) => text })
    expect(agent.executeFunctionSync({ name: 'echo', arguments: '{"text":\n"a\nb\tc"}' })[1].content).toBe('a\nb\tc')
  })

  it('runs the calls of one message at once, and one bad call stops no other', async () => {
    const agent = user()
    const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    agent.registerFunction({
      first: () => first.promise,
      second: () => (first.resolve('after the second began'), second.promise),
      bad: () => {
        second.resolve('second')
        throw new Error('bad luck')
      },
    })
    const calls = ['first', 'second', 'bad', 'unknown'].map((name) => ({
      id: name,
      function: { name, arguments: '{}' },
    }))
    const [, reply] = await agent.generateToolCallsReply({
      messages: [{ role: 'assistant', content: null, tool_calls: calls }],
    })
    expect(reply).toEqual({
      role: 'tool',
      content: 'after the second began\n\nsecond\n\nError: bad luck\n\nError: Function unknown not found.',
      tool_responses: [
        { tool_call_id: 'first', role: 'tool', content: 'after the second began' },
        { tool_call_id: 'second', role: 'tool', content: 'second' },
        { tool_call_id: 'bad', role: 'tool', content: 'Error: bad luck' },
        { tool_call_id: 'unknown', role: 'tool', content: 'Error: Function unknown not found.' },
      ],
    })
  })

  it.each<[thrown: unknown, text: string]>([
    [{ code: 5, message: 'no bed left' }, 'no bed left'],
    [Object.assign(new Error(), { message: { left: 0 } }), '{"left":0}'],
    [Object.create(null), '{}'],
    [Symbol('none'), 'Symbol(none)'],
    [undefined, 'undefined'],
  ])('tells what a function threw, %o, and goes on', (thrown, text) => {
    const agent = user()
    agent.registerFunction({
      bad: () => {
        throw thrown
      },
    })
    const [success, { content }] = agent.executeFunctionSync({ name: 'bad', arguments: '{}' })
    expect([success, content]).toEqual([false, `Error: ${text}`])
  })

  it('refuses a name that is none', () => {
    const make = (): unknown =>
      tool({ name: 'two words', description: 'x', parameters: { type: 'object' }, execute: () => 1 })
    expect(make).toThrow('two words')
    try {
      make()
    } catch (error) {
      expect(isXError(error, 'invalid-name')).toBe(true)
    }
  })
})
