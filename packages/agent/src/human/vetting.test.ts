import type { CodeBlock, CodeExecutor, Vet } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../index.ts'
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
