import type { Run, Tool } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { scriptedProvider } from '@x/testing'
import { z } from 'zod'

import { ALL, assistant, calls, type Program, proxy, resultOf } from './records-world.fake.ts'

/** Programs whose agents call tools, or answer in a shape. */
export const TOOL_PROGRAMS: Readonly<Record<string, Program>> = {
  'parallel tools': {
    isParallel: true,
    faces: ['async', 'stream'],
    made: { 'code of price': 'tool' },
    async run(world, given) {
      const model = world.says('clerk', calls('price', 'stock', 'price'), 'Tea costs 3.')
      const tools = [
        world.tool('price', async ({ item }) => `${String(item)} costs ${world.vary('code of price', 3)}`),
        world.tool('stock', async () => ({ left: 7 })),
      ]
      const clerk = assistant('clerk', model, { systemMessage: world.vary('prompt', 'You sell.') })
      const options = { tools: world.vary('order of tools', tools), maxTurns: 4, ...given }
      const run = clerk.runStream(world.vary('message', 'Tea?'), options)
      const { text, toolCalls, cost, terminationReason, messages } = await resultOf(run)
      return { text, toolCalls, cost, terminationReason, messages }
    },
  },
  'tools that fail': {
    faces: ALL,
    run(world, given) {
      const model = world.says('clerk', calls('price', 'nothing'), calls(['price', { item: 7 }]), 'I cannot tell.')
      const price = world.tool('price', () => {
        throw new Error(world.vary('error', 'the till is broken'))
      })
      const clerk = assistant('clerk', model)
      const user = proxy('user')
      clerk.registerForLlm(price)
      user.registerForExecution(price)
      return world.chat(user, clerk, { message: world.vary('message', 'Tea?'), maxTurns: 4, ...given })
    },
    made: { error: 'tool' },
  },
  'agents inside tools': {
    isParallel: true,
    faces: ['async', 'stream'],
    made: {
      'prompt of ann': 'tool',
      'prompt of bob': 'tool',
      'temperature of ann': 'tool',
      'temperature of bob': 'tool',
    },
    async run(world, given) {
      const expert = (name: string): Tool =>
        world.tool(`ask_${name}`, async (_, { run }) => {
          const agent = assistant(name, world.says(name, `I am ${name}.`), {
            systemMessage: world.vary(`prompt of ${name}`, 'You know.'),
          })
          return (await agent.run('Who?', { run })).text
        })
      const model = world.says('chief', calls('ask_ann', 'ask_bob'), calls('ask_ann'), 'Both.')
      const chief = assistant('chief', model)
      const { text, cost, toolCalls } = await chief.run(world.vary('message', 'Who is there?'), {
        tools: [expert('ann'), expert('bob')],
        ...given,
      })
      return { text, cost, toolCalls }
    },
  },
  'an approval at once': {
    faces: ALL,
    run(world, given) {
      const refund = world.tool('refund', () => 'given back', { needsApproval: true })
      const clerk = assistant('clerk', world.says('clerk', calls('refund'), 'Done.'))
      const desk = proxy('desk', { io: world.person('yes'), humanInputMode: 'NEVER' })
      clerk.registerForLlm(refund)
      desk.registerForExecution(refund)
      return world.chat(desk, clerk, { message: world.vary('message', 'It broke.'), maxTurns: 3, ...given })
    },
  },
  'a model inside a tool': {
    faces: ['async', 'stream'],
    made: { 'question of the tool': 'tool' },
    async run(world, given) {
      const inner = llmConfig({
        providers: [scriptedProvider(() => world.outside('model', () => 'six'))],
        ...{ cacheSeed: null, apiType: 'scripted', model: 'inner', price: [1, 2] },
        apiKey: 'sk-canary-of-config',
      }).createModel()
      const ask = world.tool('ask', async (_, { run }) => {
        const content = world.vary('question of the tool', 'How many?')
        const { choices } = await inner.create({ messages: [{ role: 'user', content }] }, { run: run as Run })
        return choices[0]!.message.content
      })
      const outer = llmConfig({
        providers: [
          scriptedProvider(({ messages }) =>
            world.outside('model', () => (messages.at(-1)?.role === 'tool' ? 'It is six.' : calls('ask'))),
          ),
        ],
        ...{ cacheSeed: null, apiType: 'scripted', model: 'outer', price: [1, 2] },
        temperature: world.vary('temperature', 0),
        apiKey: 'sk-canary-of-config',
        baseUrl: 'https://user:sk-canary-of-config@models.example/v1?key=sk-canary-of-config',
        defaultHeaders: { authorization: 'Bearer sk-canary-of-config' },
      })
      const chief = assistant('chief', outer)
      const { text, cost } = await chief.run(world.vary('message', 'Ask.'), { tools: ask, ...given })
      return { text, cost }
    },
  },
  'a result with repairs': {
    faces: ['async', 'stream'],
    async run(world, given) {
      const clerk = assistant('clerk', world.says('clerk', '{"euros":"many"}', 'no', '{"euros":3}'))
      const { result, text, cost } = await clerk.run(world.vary('message', 'What is it?'), {
        result: z.object({
          euros: z.number(),
          ...(world.vary('schema of result', false) ? { more: z.string().optional() } : {}),
        }),
        ...given,
      } as never)
      return { result, text, cost }
    },
  },
}
