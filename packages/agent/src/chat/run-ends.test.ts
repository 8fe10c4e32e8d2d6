import type { ChatMessage, CodeExecutor } from '@x/interfaces'
import { functionModel, scriptedModel } from '@x/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ag2Run, AssistantAgent, ChatJournal, createAgent, tool } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

type Replies = Parameters<typeof scriptedModel>[0]

const add = tool({ name: 'add', description: 'Adds.', parameters: { type: 'object' }, execute: () => 5 })
const call = { content: null, tool_calls: [{ id: 'c1', function: { name: 'add', arguments: '{}' } }] }

/** An assistant whose model plays a script, the last reply again and again. */
function scripted(
  replies: Replies,
  typed: readonly string[] = [],
): { agent: AssistantAgent; model: ReturnType<typeof scriptedModel> } {
  const model = scriptedModel(replies, { repeatLast: true })
  return { model, agent: new AssistantAgent({ name: 'assistant', llmConfig: model, io: recordingIo(typed) }) }
}

const contents = (messages: readonly ChatMessage[]): unknown[] => messages.map(({ content }) => content)

describe('a run', () => {
  it.each<[what: string, replies: Replies, options: object, requests: number]>([
    ['at the first answer', ['Hello!'], {}, 1],
    ['at the first answer, with tools', ['Hello!'], { tools: add }, 1],
    ['at the first answer behind a call', [call, 'It is 5.'], { tools: add }, 2],
    ['at the first answer, whatever the limit of turns', ['Hello!'], { maxTurns: 8 }, 1],
    ['at the first answer, if it is the last that turns allow', [call, 'It is 5.'], { tools: add, maxTurns: 2 }, 2],
  ])('ends %s', async (_, replies, options, requests) => {
    for (const face of ['run', 'runSync'] as const) {
      const { agent, model } = scripted(replies)
      const { terminationReason, text } = await agent[face]('Hi', options)
      expect([terminationReason, text, model.calls.length]).toEqual(['answered', replies.at(-1), requests])
    }
  })

  it('makes the calls of a message whose words would end it', async () => {
    const { agent } = scripted([{ ...call, content: 'I add before I TERMINATE.' }, 'It is 5.'])
    const { terminationReason, text, toolCalls } = await agent.run('2 + 3?', { tools: add })
    expect([terminationReason, text, toolCalls[0]!.result]).toEqual(['answered', 'It is 5.', '5'])
  })

  it('ends without an answer where turns are used up by calls', async () => {
    const { agent } = scripted([call, 'It is 5.'])
    const { terminationReason, text, toolCalls } = await agent.run('2 + 3?', { tools: add, maxTurns: 1 })
    expect([terminationReason, text]).toEqual(['max-turns', ''])
    expect(toolCalls).toEqual([{ id: 'c1', name: 'add', arguments: {}, result: null, error: null }])
  })

  it('ends without an answer where the replies of the agent are used up', async () => {
    const model = scriptedModel([call], { repeatLast: true })
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: model, maxConsecutiveAutoReply: 2 })
    for (const options of [{}, { maxTurns: 8 }]) {
      const { terminationReason, text } = await agent.run('2 + 3?', { tools: add, ...options })
      expect([terminationReason, text]).toEqual(['max-consecutive-auto-reply', ''])
    }
    expect(model.calls.length).toBe(4)
  })

  it('has all of the turns that it was given, whatever the default of replies', async () => {
    const { agent } = scripted([...Array.from({ length: 110 }, () => call), 'It is 5.'])
    const { terminationReason, text } = await agent.run('2 + 3?', { tools: add, maxTurns: 111 })
    expect([terminationReason, text]).toEqual(['answered', 'It is 5.'])
  })

  it('goes on where the side of the user has something to say', async () => {
    const { agent, model } = scripted(['Hello!'])
    const chat = await agent.run('Hi', { maxTurns: 4, executorKwargs: { defaultAutoReply: 'And?' } })
    expect([chat.terminationReason, model.calls.length]).toEqual(['max-turns', 4])
  })

  describe('of an agent whose code runs', () => {
    const codeReader = {
      extractCode: (text: unknown) => (String(text).startsWith('run') ? [{ language: 'sh', code: String(text) }] : []),
      inferLang: () => 'sh',
    }
    const ran: string[] = []
    const runner = {
      useDocker: false,
      codeReader,
      runCode: (code: string) => [0, `output ${ran.push(code)}`, null] as [number, string, null],
    }
    const codeExecutionConfig = { runner }
    beforeEach(() => void (ran.length = 0))

    it('goes on where code of the answers runs', async () => {
      const { agent, model } = scripted(['run one', 'run two', 'Done.'])
      const { text } = await agent.run('Hi', { executorKwargs: { codeExecutionConfig } })
      expect([text, model.calls.length]).toEqual(['Done.', 3])
    })

    it('runs the code of its answers, and that of the question never', async () => {
      const model = scriptedModel(['run one', 'Done.'])
      const agent = createAgent({ name: 'coder', model, codeExecutionConfig })
      const { text, messages } = await agent.run('run mine')
      expect([text, ran]).toEqual(['Done.', ['run one']])
      expect(contents(messages)[2]).toContain('output 1')
    })

    it('asks what its `beforeCodeExecution` asks', async () => {
      const model = scriptedModel(['run one', 'Then not.'])
      const executor: CodeExecutor = {
        codeReader,
        isolation: 'sandbox',
        executeCodeBlocks: ([block]) => Promise.resolve({ exitCode: 0, output: String(ran.push(block!.code)) }),
      }
      const beforeCodeExecution = () => ({ deny: 'not today' })
      const agent = createAgent({ name: 'coder', model, codeExecutionConfig: { executor }, beforeCodeExecution })
      const { messages } = await agent.run('Hi')
      expect([ran, contents(messages)[2]]).toEqual([[], expect.stringContaining('not today')])
    })
  })

  it('asks a person with `userInput`, until that person has nothing to say', async () => {
    const { agent, model } = scripted(['Hello!'], ['And now?', 'And then?', ''])
    const { terminationReason, messages } = await agent.run('Hi', { userInput: true })
    expect([terminationReason, model.calls.length]).toEqual(['answered', 3])
    expect(contents(messages)).toEqual(['Hi', 'Hello!', 'And now?', 'Hello!', 'And then?', 'Hello!'])
  })
})

describe('a run as the Python library has it', () => {
  const options = { ...ag2Run, userInput: false }

  it.each<[what: string, replies: Replies, options: object, requests: number]>([
    ['at the second answer', ['Hello!'], {}, 2],
    ['at the first answer, with tools', ['Hello!'], { tools: add }, 1],
    ['at the first answer behind a call', [call, 'It is 5.'], { tools: add }, 2],
    ['at the second answer, whatever the limit of turns', ['Hello!'], { maxTurns: 8 }, 2],
    ['at the second answer behind the message of the agent', ['Hello!'], { msgTo: 'user' }, 2],
  ])('ends %s', async (_, replies, more, requests) => {
    for (const face of ['run', 'runSync'] as const) {
      const { agent, model } = scripted(replies)
      const { terminationReason } = await agent[face]('Hi', { ...options, ...more })
      expect([terminationReason, model.calls.length]).toEqual(['answered', requests])
    }
  })

  it('counts answers in a row: a call between them begins anew', async () => {
    const { agent, model } = scripted(['One moment.', call, 'It is 5.', 'Nothing else.'])
    agent.registerForLlm(add)
    const { summary } = await agent.run('2 + 3?', { ...options, executorKwargs: { functionMap: { add: () => 5 } } })
    expect([summary, model.calls.length]).toEqual(['Nothing else.', 4])
  })

  it('goes on with the conversation of the agents, and counts anew in each run', async () => {
    const { agent, model } = scripted(['Hello!'])
    await agent.run('Hi', { ...options, maxTurns: 1 })
    const { chatHistory } = await agent.run('Hi again', options)
    expect(model.calls).toHaveLength(3)
    expect(contents(chatHistory)).toEqual(['Hi', 'Hello!', 'Hi again', 'Hello!', '', 'Hello!'])
  })

  it('asks the human as often as there are answers', async () => {
    const { agent, model } = scripted(['Hello!'], ['', '', '', 'exit'])
    const { terminationReason } = await agent.run('Hi', { ...ag2Run, tools: add })
    expect([terminationReason, model.calls.length]).toEqual(['human-exit', 4])
  })
})

describe('a run for a result', () => {
  const City = z.object({ name: z.string(), people: z.number() })
  const oslo = '{"name": "Oslo", "people": 700000}'
  const options = { result: City }

  it('ends at the first answer that fits', async () => {
    const [one, other] = [scripted([oslo]), scripted([oslo])]
    for (const its of [await one.agent.run('Norway?', options), other.agent.runSync('Norway?', options)]) {
      expect([its.result.name, its.terminationReason]).toEqual(['Oslo', 'result'])
    }
    expect([one.model.calls.length, other.model.calls.length]).toEqual([1, 1])
  })

  it('does not ask the human about an answer that fits', async () => {
    const { agent, model } = scripted(['Which country?', oslo], ['Norway'])
    const { result, messages } = await agent.run('The capital?', { result: City, userInput: true })
    expect(result.name).toBe('Oslo')
    expect(contents(messages).slice(1)).toEqual(['Which country?', 'Norway', oslo])
    expect(model.calls).toHaveLength(2)
  })

  it('judges each answer, and none that is a call', async () => {
    const { agent, model } = scripted(['Let me look.', { ...call, content: oslo }, oslo])
    const { messages } = await agent.run('Norway?', { ...options, tools: add })
    expect(contents(messages).slice(1)).toEqual([
      'Let me look.',
      expect.stringContaining('it is not JSON'),
      oslo,
      '5',
      oslo,
    ])
    expect(model.calls).toHaveLength(3)
  })

  it('gives up after the repairs, whether or not turns are left', async () => {
    for (const maxTurns of [1, 2, 10]) {
      const { agent, model } = scripted(['no'])
      await expect(agent.run('Norway?', { ...options, resultRepairs: 2, maxTurns })).rejects.toMatchObject({
        code: 'invalid-result',
        details: { attempts: 3, problem: 'it is not JSON' },
      })
      expect(model.calls).toHaveLength(3)
    }
  })

  it('answers calls that are open when the turns are used up', async () => {
    const { agent, model } = scripted([call, oslo])
    const { result } = await agent.run('Norway?', { ...options, tools: add, maxTurns: 1 })
    expect(result.name).toBe('Oslo')
    expect(model.calls[1]!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
  })

  it('reads a result out of a message of parts', async () => {
    const { agent } = scripted([])
    agent.registerReply(
      () => true,
      () => [true, { content: [{ type: 'text', text: oslo }] }],
    )
    expect((await agent.run('Norway?', options)).result.people).toBe(700000)
  })

  it('tells the model the shape', async () => {
    const { agent, model } = scripted([oslo])
    await agent.run('Norway?', options)
    const format = model.calls[0]!.params['response_format'] as Record<string, unknown>
    expect(format).toMatchObject({ type: 'json_schema', json_schema: { schema: { required: ['name', 'people'] } } })
    await agent.run('Norway?')
    expect(model.calls[1]!.params).not.toHaveProperty('response_format')
  })
})

it.each([
  ['without a result', {}],
  ['with tools', { tools: add }],
  ['for a result', { tools: add, result: { type: 'object', required: ['sum'] } }],
])('a run %s comes out the same from each entry of its journal', async (_, options) => {
  const start = async (lines: readonly string[], onEntry?: (entry: object) => void): Promise<unknown> => {
    const llmConfig = functionModel(({ messages }) => {
      const answers = messages.filter(({ role }) => role === 'assistant').length
      return answers === 1 && 'tools' in options ? call : answers === 2 ? '{"sum": 5}' : 'One moment.'
    })
    const agent = new AssistantAgent({ name: 'assistant', llmConfig, io: recordingIo() })
    agent.registerForLlm(add)
    return await agent.run('2 + 3?', { ...options, journal: ChatJournal.parse(lines.join('\n'), { onEntry }) })
  }
  const entries: string[] = []
  const whole = await start([], (entry) => void entries.push(JSON.stringify(entry)))
  expect(entries.length).toBeGreaterThan(2)
  for (let length = 0; length <= entries.length; length++) {
    expect(await start(entries.slice(0, length))).toEqual(whole)
  }
})
