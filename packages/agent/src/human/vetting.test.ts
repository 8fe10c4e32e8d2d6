import type { CodeBlock, CodeExecutor, Vet } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ChatJournal, ConversableAgent, createAgent, tool } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const ran: string[] = []
const executor: CodeExecutor = {
  codeReader: {
    extractCode: (content) => [{ language: 'sh', code: typeof content === 'string' ? content : '' }],
    inferLang: () => 'sh',
  },
  isolation: 'sandbox',
  executeCodeBlocks: (blocks: readonly CodeBlock[]) => {
    ran.push(...blocks.map(({ code }) => code))
    return { exitCode: 0, output: 'done' }
  },
}

const cases: [what: string, vet: Vet<unknown>, typed: string[], reason: string | null][] = [
  ['allows', () => 'allow', [], null],
  ['denies with a reason', () => ({ deny: 'not today' }), [], 'not today'],
  ['lets the human allow', () => 'ask', ['yes'], null],
  ['lets the human refuse', () => 'ask', ['no'], 'the user said no'],
  ['takes an empty answer for a refusal', () => 'ask', [''], 'the user said no'],
  ['hands the reason of the human on', () => 'ask', ['use the other one'], 'the user said: use the other one'],
  [
    'fails closed when it throws',
    () => {
      throw new Error('policy server is down')
    },
    [],
    'it could not be vetted: policy server is down',
  ],
  [
    'fails closed without a verdict',
    () => undefined as unknown as Awaited<ReturnType<Vet<unknown>>>,
    [],
    'it was not allowed',
  ],
]

describe.each(cases)('a vetting that %s', (_, vet, typed, reason) => {
  it('decides on a tool call, in both faces', async () => {
    for (const run of ['executeFunction', 'executeFunctionSync'] as const) {
      let calls = 0
      const agent = new ConversableAgent({
        name: 'a',
        io: recordingIo(typed),
        beforeToolCall: vet,
        functionMap: { f: () => ++calls },
      })
      const [success, { content }] = await agent[run]({ name: 'f', arguments: '{}' })
      expect([success, calls]).toEqual(reason === null ? [true, 1] : [false, 0])
      if (reason !== null) expect(content).toBe(`Error: the call of f was denied: ${reason}`)
    }
  })

  it('decides on code', async () => {
    ran.length = 0
    const agent = new ConversableAgent({
      name: 'a',
      io: recordingIo(typed),
      beforeCodeExecution: vet,
      codeExecutionConfig: { executor },
    })
    const [, reply] = await agent.generateCodeExecutionReply({ messages: [{ role: 'user', content: 'echo hi' }] })
    expect(ran).toEqual(reason === null ? ['echo hi'] : [])
    expect(reply).toContain(
      reason === null
        ? 'exitcode: 0'
        : `exitcode: 1 (execution failed)\nCode output: the code was denied and did not run: ${reason}`,
    )
  })
})

it('tells what is about to happen', async () => {
  const seen: unknown[] = []
  const agent = new ConversableAgent({
    name: 'a',
    io: recordingIo(),
    functionMap: { f: () => 1 },
    beforeToolCall: (call) => (seen.push(call), 'allow'),
  })
  await agent.executeFunction({ name: 'f', arguments: '{"x": 1}' }, { callId: 'c1' })
  expect(seen).toEqual([{ agent: 'a', name: 'f', arguments: { x: 1 }, callId: 'c1' }])
})

describe('the text of `needsApproval`', () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: { type: 'object', properties: { euros: { type: 'number' } } },
    needsApproval: ({ euros }) => Number(euros) > 10 && 'more than the 10 euros of a day',
    execute: () => 'paid',
  })

  it.each<[string, Vet<unknown> | undefined]>([
    ['alone', undefined],
    ['beside a vetting function that asks', () => 'ask'],
  ])('is told to the person who decides: %s', async (_, beforeToolCall) => {
    const io = recordingIo(['yes'])
    const agent = new ConversableAgent({ name: 'a', io, beforeToolCall })
    agent.registerForExecution(pay)
    await agent.executeFunction({ name: 'pay', arguments: '{"euros": 11}' })
    expect(io.prompts).toEqual([
      'a is about to call pay({"euros":11}) (more than the 10 euros of a day) Allow? (yes, or a reason why not): ',
    ])
  })

  it('waits beside the call in a journal that is kept as text', async () => {
    const call = { id: '1', function: { name: 'pay', arguments: '{"euros":11}' } }
    const model = functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'done' : { tool_calls: [call] }))
    const agent = createAgent({ name: 'a', model, tools: [pay] })
    const { pending, journal } = await agent.run('Pay.')
    expect(pending[0]!.action).toMatchObject({ name: 'pay', note: 'more than the 10 euros of a day' })
    const kept = ChatJournal.load(JSON.parse(JSON.stringify(journal!.saveState())))
    expect(kept.pending).toEqual(pending)
    await kept.decide(pending[0]!.id, { allow: true })
    expect((await agent.run('Pay.', { journal: kept })).text).toBe('done')
  })
})

it('the vetting of an agent decides on the calls of its runs', async () => {
  const llmConfig = functionModel(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'Done.'
      : { tool_calls: [{ id: 'c1', function: { name: 'drop', arguments: '{}' } }] },
  )
  let dropped = 0
  const drop = tool({ name: 'drop', description: 'Drops it.', execute: () => ++dropped })
  const agent = createAgent({ name: 'a', model: llmConfig, tools: drop, beforeToolCall: () => ({ deny: 'not today' }) })
  const runs = [
    await agent.run('Drop it.'),
    agent.runSync('Drop it.'),
    await agent.run('Drop it.', { conversation: 'shared' }),
  ]
  for (const { toolCalls } of runs) expect(toolCalls).toMatchObject([{ error: { message: 'not today' } }])
  const asking = createAgent({ name: 'b', model: llmConfig, tools: drop, beforeToolCall: () => 'ask' })
  expect(await asking.run('Drop it.')).toMatchObject({
    terminationReason: 'suspended',
    pending: [{ action: { name: 'drop' } }],
  })
  expect(dropped).toBe(0)
})
