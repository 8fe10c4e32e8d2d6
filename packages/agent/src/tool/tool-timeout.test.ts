import { expect, it } from 'vitest'
import { ConversableAgent, tool } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const io = recordingIo()
const definition = { name: 'look', description: 'Looks', parameters: { type: 'object' } } as const
const user = (): ConversableAgent => new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', io })

it('tells the model of a tool that hangs, and tells the tool to stop', async () => {
  let told: AbortSignal | undefined
  const agent = user()
  const hangs = tool({
    ...definition,
    timeout: 0.001,
    execute: async (_, { signal }) => {
      told = signal
      return await new Promise<string>(() => {})
    },
  })
  agent.registerForExecution(hangs)
  agent.registerForExecution(tool({ ...definition, name: 'other', execute: () => 'fine' }))
  const calls = ['look', 'other'].map((name) => ({ id: name, function: { name, arguments: '{}' } }))
  const reply = await agent.generateToolCallsReply({ messages: [{ content: null, tool_calls: calls }] })
  expect(reply[1]).toMatchObject({
    tool_responses: [{ content: 'Error: look gave no result within 0.001 s' }, { content: 'fine' }],
  })
  expect(told?.aborted).toBe(true)
})

it.each([
  ['a promise in time', async () => await Promise.resolve('done'), true, 'done'],
  ['a failure in time', async () => await Promise.reject(new Error('no')), false, 'Error: no'],
  ['a tool that blocks', () => 'done', true, 'done'],
])('leaves %s as it is', async (_, execute, success, content) => {
  const agent = user()
  agent.registerForExecution(tool({ ...definition, timeout: 60, execute }))
  expect(await agent.executeFunction({ name: 'look', arguments: '{}' })).toEqual([
    success,
    { name: 'look', role: 'function', content },
  ])
})

it('stops with its run', async () => {
  const stop = new AbortController()
  const agent = user()
  let told: AbortSignal | undefined
  const execute = async (_: unknown, { signal }: { signal?: AbortSignal | undefined }): Promise<string> => {
    told = signal
    stop.abort()
    return await new Promise<string>(() => {})
  }
  agent.registerForExecution(tool({ ...definition, timeout: 60, execute }))
  await expect(agent.executeFunction({ name: 'look', arguments: '{}' }, { signal: stop.signal })).rejects.toMatchObject(
    {
      code: 'aborted',
    },
  )
  expect(told?.aborted).toBe(true)
})

it.each([0, -1, Number.NaN])('refuses a limit of %s', (timeout) => {
  expect(() => tool({ ...definition, timeout, execute: () => '' })).toThrow('give a number of seconds above 0')
})
