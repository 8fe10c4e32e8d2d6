import { ChatJournal, type ConversableAgent, UpdateSystemMessage } from '@x/agent'
import type { ChatMessage, Reply, RunContext, XEvent } from '@x/interfaces'
import { foldEvents } from '@x/kernel/events'
import { functionModel, scriptedModel } from '@x/testing'
import { expect, test } from 'vitest'
import { groupOf, lines, member, members, quiet } from '../fakes.fake.ts'
import { ContextVariables, groupTool } from '../handoff/context-variables.ts'
import type { Guardrail } from '../handoff/guardrail.ts'
import {
  functionTarget,
  type FunctionTarget,
  groupManager,
  nestedChat,
  randomAgent,
  replyResult,
  stay,
  terminate,
} from '../handoff/target.ts'
import { initiateGroupChat, initiateGroupChatStream, initiateGroupChatSync } from '../initiate-group-chat.ts'
import { defaultPattern, groupChat, roundRobinPattern } from './pattern.ts'

const call = (name: string, args: object = {}, id = 'c1') => ({
  content: null,
  tool_calls: [{ id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }],
})

const groupManagerArgs = { io: quiet }

test('an agent hands over by a tool of its model, in every face', async () => {
  const build = () => {
    const [a, b] = [member('a', { llmConfig: scriptedModel([call('transfer_to_b_1')]) }), member('b')]
    const handoffs = [{ to: b, when: 'Go to b.' }]
    return defaultPattern({ initialAgent: a, agents: [{ agent: a, handoffs }, b], groupManagerArgs })
  }
  const said = ['_User: "Start"', 'a: null', '_Group_Tool_Executor: "Transfer to b"', 'b: "from b"']
  const result = await initiateGroupChat(build(), 'Start')
  expect(lines(result.messages)).toEqual(said)
  expect(result).toMatchObject({ summary: 'from b', lastSpeaker: 'b', terminationReason: 'no-next-speaker' })
  expect(lines(initiateGroupChatSync(build(), 'Start').messages)).toEqual(said)
  const stream = initiateGroupChatStream(build(), 'Start')
  const seen: XEvent[] = []
  for await (const event of stream) seen.push(event)
  const streamed = await stream.result
  expect(lines(streamed.messages)).toEqual(said)
  expect(foldEvents(seen).result).toEqual(streamed)
  expect(seen.filter(({ type }) => type === 'handoff' || type === 'groupChatRunChat')).toMatchObject([
    { speaker: 'a', reason: 'initial', agentPath: ['chat_manager', 'a'] },
    { speaker: '_Group_Tool_Executor', reason: 'executor' },
    { type: 'handoff', agent: 'a', to: 'b', target: 'agent', by: 'tool' },
    { speaker: 'b', reason: 'handoff' },
  ])
})

test('endless handoffs between models end with `handoff-loop`', async () => {
  const llmConfig = functionModel(({ agent }) => call(`transfer_to_${agent === 'a' ? 'b' : 'a'}_1`))
  const [a, b] = [member('a', { llmConfig }), member('b', { llmConfig })]
  const pattern = defaultPattern({
    initialAgent: a,
    agents: [
      { agent: a, handoffs: [{ to: b, when: 'b' }] },
      { agent: b, handoffs: [{ to: a, when: 'a' }] },
    ],
    groupManagerArgs,
  })
  const result = await initiateGroupChat(pattern, 'Start', { maxRounds: 100 })
  expect(result).toMatchObject({ terminationReason: 'handoff-loop' })
  expect(result.messages).toHaveLength(7)
})

test.each([
  ['the end', 'transfer_to_terminate_2', terminate('solved'), { terminationReason: 'no-next-speaker' }],
  ['a chat inside', 'transfer_to_wrapped_nested_a_1_2', null, { terminationReason: 'max-rounds', summary: 'from x' }],
])('a handoff to %s is no part of a loop', async (_, last, target, outcome) => {
  const a = member('a', { llmConfig: scriptedModel([call('transfer_to_b_1'), call(last)]) })
  const b = member('b', { llmConfig: scriptedModel([call('transfer_to_a_1')]) })
  const to = target ?? nestedChat([{ recipient: member('x'), message: 'Work.', maxTurns: 1 }])
  const pattern = defaultPattern({
    initialAgent: a,
    agents: [
      {
        agent: a,
        handoffs: [
          { to: b, when: 'b' },
          { to, when: 'done' },
        ],
      },
      { agent: b, handoffs: [{ to: a, when: 'a' }] },
    ],
    groupManagerArgs,
  })
  const result = await initiateGroupChat(pattern, 'Start', { maxRounds: 8 })
  expect(result).toMatchObject(outcome)
})

test('members that work by tools of their own may take turns without a word', async () => {
  const work = (name: string, to: () => ConversableAgent, last: string) => {
    const tool = groupTool()({
      name: `${name}_works`,
      description: 'Works.',
      execute: () => replyResult({ message: `work of ${name}`, target: to() }),
    })
    const calls = Array.from({ length: 4 }, (_, index) => call(tool.name, {}, `${name}${index}`))
    return member(name, { llmConfig: scriptedModel([...calls, last]), functions: [tool] })
  }
  const a: ConversableAgent = work('a', () => b, 'done')
  const b: ConversableAgent = work('b', () => a, 'unused')
  const pattern = defaultPattern({ initialAgent: a, agents: [a, b], groupManagerArgs })
  const result = await initiateGroupChat(pattern, 'Start', { maxRounds: 100 })
  expect(lines(result.messages).at(-1)).toBe('a: "done"')
  expect(result).toMatchObject({ terminationReason: 'no-next-speaker', lastSpeaker: 'a' })
})

test('`until` and `terminate` say why the chat ended', async () => {
  const [a, b] = members('a', 'b')
  const agents = [{ agent: a!, handoffs: [{ to: terminate('done here'), after: true as const }] }, b!]
  const ended = await initiateGroupChat(defaultPattern({ initialAgent: a!, agents, groupManagerArgs }), 'Start')
  expect(ended).toMatchObject({ terminationReason: 'no-next-speaker', terminationDetail: 'done here' })
  const pattern = roundRobinPattern({
    initialAgent: a!,
    agents: [a!, b!],
    until: ({ rounds, lastSpeaker }) => rounds > 3 && `enough of ${lastSpeaker}`,
    groupManagerArgs,
  })
  const until = await initiateGroupChat(pattern, 'Start')
  expect(until).toMatchObject({ terminationReason: 'until', terminationDetail: 'enough of a' })
  expect(until.messages).toHaveLength(4)
})

test('arguments of a handoff are checked and become context variables', async () => {
  const input = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const llmConfig = scriptedModel([call('transfer_to_b_1'), call('transfer_to_b_1', { city: 'Oslo' }, 'c2')])
  const [a, b] = [member('a', { llmConfig }), member('b')]
  const pattern = defaultPattern<{ city: string }>({
    initialAgent: a,
    agents: [{ agent: a, handoffs: [{ to: b, when: 'Go.', input }] }, b],
    contextVariables: { city: '' },
    groupManagerArgs,
  })
  const { messages, contextVariables } = await initiateGroupChat(pattern, 'Start')
  expect(contextVariables).toEqual({ city: 'Oslo' })
  expect(messages[2]?.content).toMatch(/^Error: the arguments of transfer_to_b_1 do not fit/u)
  expect(messages[4]?.content).toBe('Transfer to b')
})

test('a member reads the messages that `sees` returns', async () => {
  const shown: (readonly ChatMessage[])[] = []
  const llmConfig = functionModel(({ messages }) => {
    shown.push(messages)
    return 'well'
  })
  const [a, b] = [member('a'), member('b', { llmConfig })]
  const sees = (messages: readonly ChatMessage[]) => messages.slice(-1)
  const agents = [
    { agent: a, handoffs: [{ to: b, after: true as const }] },
    { agent: b, sees },
  ]
  await initiateGroupChat(defaultPattern({ initialAgent: a, agents, groupManagerArgs }), 'Start')
  expect(shown[0]!.map(({ content }) => content)).toEqual(['You are a helpful AI Assistant.', 'from a'])
})

test.each([{ maxTurns: 3 }, {}])('chats that are a target end at the answer of their recipients: %j', async (turns) => {
  const [x, y] = [member('x', { llmConfig: scriptedModel(['from x']) }), member('y')]
  const chats = [
    { recipient: x, message: 'Work.', ...turns },
    { recipient: y, message: 'Check.', ...turns },
  ]
  const a = member('a')
  const pattern = defaultPattern({
    initialAgent: a,
    agents: [{ agent: a, handoffs: [{ to: nestedChat(chats), when: true }] }],
    groupManagerArgs,
  })
  const { summary } = await initiateGroupChat(pattern, 'Start', { maxRounds: 3 })
  expect([summary, x.lastMessage()?.content, y.chatMessages.size]).toEqual(['from y', 'from x', 1])
})

test.each<[string, unknown]>([
  ['it returned a target alone', member('b')],
  ['it returned undefined', undefined],
  ['the option `to` is unknown', { to: 'b' }],
  ['`messages` is', { target: 'b', messages: 'Hello.' }],
])('an answer of a function that is a target is refused: %s', async (problem, answer) => {
  const [a, b] = members('a', 'b')
  const handoffs = [{ to: functionTarget((() => answer) as never), after: true as const }]
  const pattern = defaultPattern({ initialAgent: a!, agents: [{ agent: a!, handoffs }, b!], groupManagerArgs })
  await expect(initiateGroupChat(pattern, 'Start')).rejects.toThrow(problem)
})

test.each<[string, () => unknown]>([
  [
    '`maxRound` is unknown',
    () => groupChat(defaultPattern({ initialAgent: 'a', agents: [] }), { maxRound: 2 } as never),
  ],
  ['`pattern` is', () => groupChat(undefined as never)],
  ['`selection_message` is unknown', () => groupManager({ selection_message: 'Who?' } as never)],
  ['`agents` is', () => randomAgent('a' as never)],
  ['`chatQueue` is', () => nestedChat({ recipient: member('a') } as never)],
  ['`fn` is', () => functionTarget('a' as never)],
])('a target is refused when it is made: %s', (problem, make) => {
  expect(make).toThrow(problem)
})

test('a call that nobody makes in a chat that is a target is a warning', async () => {
  const a = member('a')
  const to = nestedChat([{ recipient: member('x', { llmConfig: scriptedModel([call('look')]) }), message: 'Work.' }])
  const pattern = defaultPattern({
    initialAgent: a,
    agents: [{ agent: a, handoffs: [{ to, when: true }] }],
    groupManagerArgs,
  })
  const warned: unknown[] = []
  const emit = (event: XEvent) => void (event.type === 'warning' && warned.push(event.text))
  await initiateGroupChat(pattern, 'Start', { maxRounds: 3, emit })
  expect(warned).toEqual([expect.stringContaining('nobody makes the call of `x` to `look`')])
})

test('hooks, templates and nested chats use the variables of the group; agents keep their own', async () => {
  const seen: unknown[] = []
  const note = (_agent: object, _messages: object, { contextVariables }: RunContext) => {
    seen.push(contextVariables?.toJSON())
    contextVariables?.set('n', 2)
  }
  const llmConfig = functionModel(({ messages }) => messages[0]!.content as string)
  const x = member('x', {
    llmConfig,
    contextVariables: { n: 7 },
    updateAgentStateBeforeReply: [note, new UpdateSystemMessage('n is {n}')],
  })
  const a = member('a')
  const handoffs = [{ to: nestedChat([{ recipient: x, message: 'Work.', maxTurns: 1 }]), when: true as const }]
  const variables = new ContextVariables({ n: 1 })
  const pattern = defaultPattern({
    initialAgent: a,
    agents: [{ agent: a, handoffs }],
    contextVariables: variables,
    until: ({ lastSpeaker }) => lastSpeaker.startsWith('wrapped') && 'worked',
    groupManagerArgs,
  })
  const { summary } = await initiateGroupChat(pattern, 'Start')
  expect([summary, seen, variables.toJSON(), x.getContext('n')]).toEqual(['n is 2', [{ n: 1 }], { n: 2 }, 7])
})

test('hooks before sending, and functions of nested chats and summaries, are given the variables of the group', async () => {
  const seen: string[] = []
  const note = (what: string, { contextVariables }: RunContext): string => {
    seen.push(what)
    return `${what} ${contextVariables?.get('n') as string}`
  }
  const [a, b, inner] = [member('a'), member('b'), member('inner')]
  a.registerHook('processMessageBeforeSend', (sent) => note('sent', sent))
  b.registerNestedChats([], () => true, {
    position: 2,
    replyFuncFromNestedChats: (_, input) => [false, note('own', input)],
  })
  const nested = {
    recipient: inner,
    message: (_: object, input: RunContext) => note('message', input),
    summaryMethod: (_sender: object, _recipient: object, _args: object, context: RunContext) =>
      note('summary', context),
    maxTurns: 1,
  }
  b.registerNestedChats([nested], () => true, { position: 3 })
  const pattern = defaultPattern({
    initialAgent: a,
    agents: [{ agent: a, handoffs: [{ to: b, after: true }] }, b],
    contextVariables: { n: 1 },
    summaryMethod: (_sender, _recipient, _args, context) => note('whole', context),
    groupManagerArgs,
  })
  const { summary, messages } = await initiateGroupChat(pattern, 'Start')
  expect(seen).toEqual(['sent', 'own', 'message', 'summary', 'whole'])
  expect([summary, ...messages.map(({ content }) => content)]).toEqual(['whole 1', 'Start', 'sent 1', 'summary 1'])
})

test('a list in the variables of a pattern is copied for each chat', async () => {
  const seen: unknown[] = []
  const pattern = defaultPattern({
    initialAgent: 'a',
    agents: [
      member('a', {
        updateAgentStateBeforeReply(_agent, _messages, { contextVariables }) {
          const { basket, store } = contextVariables!.toJSON() as { basket: { items: string[] }; store: unknown }
          basket.items.push('tea')
          seen.push(store)
        },
      }),
    ],
    contextVariables: {
      basket: { items: [] as string[] },
      store: quiet.input,
      input: JSON.parse('{"__proto__":{"admin":true}}') as { admin?: boolean },
    },
    groupManagerArgs,
  })
  await initiateGroupChat(pattern, 'First')
  const { contextVariables } = await initiateGroupChat(pattern, 'Second')
  expect([contextVariables.basket, seen]).toEqual([{ items: ['tea'] }, [quiet.input, quiet.input]])
  expect([contextVariables.input.admin, JSON.stringify(contextVariables.input)]).toEqual([
    undefined,
    '{"__proto__":{"admin":true}}',
  ])
})

test('ended chats do not pile up in the agents', async () => {
  const [a, b] = members('a', 'b')
  const pattern = roundRobinPattern({ initialAgent: a!, agents: [a!, b!], groupManagerArgs })
  for (let turn = 0; turn < 3; turn++) await initiateGroupChat(pattern, 'Start', { maxRounds: 3 })
  expect([a!, b!].map((agent) => agent.chatMessages.size)).toEqual([1, 1])
})

test.each([
  ['a test that stays', { to: stay, when: () => true }, 'cannot lead to `stay`'],
  ['no target', { when: 'Go.' }, '`to` is not a target'],
  ['two times', { to: 'b', when: 'Go.', after: true }, 'exactly one of'],
  ['an expression as words', { to: 'b', when: "${vip} and ${level} == 'high'" }, "write `when: expression('…')`"],
  ['a name as a test', { to: 'b', when: 'Go.', available: 'vip' }, 'write `available: (variables) => '],
  ['an unknown option', { to: 'b', wen: 'Go.' }, 'no option `wen`'],
  ['a target of elsewhere', { target: 'b', when: 'Go.' }, 'no option `target`; write `to`'],
  ['a condition of elsewhere', { to: 'b', condition: 'Go.' }, 'no option `condition`; write `when`'],
  ['a target alone', stay, "say when it is next, as in `{ to: agent, when: 'The user wants …' }`"],
  ['a stranger', { to: 'c', after: true }, 'who is not in the group'],
  ['a handoff in words without a model', { to: 'b', when: 'Go.' }, 'no model to choose it'],
  ['a manager without a model', { to: groupManager(), after: true }, 'which has none'],
])('%s is refused before the first message', async (_, handoff, message) => {
  const [a, b] = members('a', 'b')
  const pattern = defaultPattern({ initialAgent: a!, agents: [{ agent: a!, handoffs: [handoff as never] }, b!] })
  await expect(initiateGroupChat(pattern, 'Start')).rejects.toMatchObject({ code: 'invalid-argument' })
  await expect(initiateGroupChat(pattern, 'Start')).rejects.toThrow(message)
})

test('a tool that returns a target in an object of its own is told to write `replyResult`', async () => {
  const b = member('b')
  const ask = groupTool()({ name: 'ask', description: 'Asks b.', execute: () => ({ message: 'Ask b.', target: b }) })
  const a = member('a', { llmConfig: scriptedModel([call('ask'), 'Done.']), functions: ask })
  const pattern = defaultPattern({ initialAgent: a, agents: [a, b], groupManagerArgs })
  const { messages } = await initiateGroupChat(pattern, 'Start')
  expect(messages[2]!.content).toContain('return `replyResult({ message, target })`')
})

test('a handoff with the name of a function of its member is refused', async () => {
  const look = groupTool<object>()({ name: 'look', description: 'Looks.', parameters: {}, execute: () => '' })
  const a = member('a', { llmConfig: scriptedModel([]), functions: look })
  const handoffs = [{ to: 'b', when: 'Go.', toolName: 'look' }]
  const pattern = defaultPattern({ initialAgent: a, agents: [{ agent: a, handoffs }, member('b')], groupManagerArgs })
  await expect(initiateGroupChat(pattern, 'Start')).rejects.toThrow('two tools of `a` are named `look`')
})

test.each<[object, string]>([
  [{ handoff: [] }, 'cannot make `a` a member of a group: the option `handoff` is unknown; did you mean `handoffs`?'],
  [{ inputGuardrail: [] }, 'did you mean `inputGuardrails`?'],
  [{ guardrails: [] }, 'write `inputGuardrails` or `outputGuardrails`'],
  [{ afterWork: 'b' }, 'write it as a handoff, as in `handoffs: [{ to, after: true }]`'],
  [{ outputGuardrails: {} }, '`outputGuardrails` is an object; give a list'],
  [
    { inputGuardrails: [{ name: 'n', check: /x/u, to: 'b', activation_message: 'No.' }] },
    'did you mean `activationMessage`?',
  ],
])('a rule of a member that nobody reads is refused: %j', async (rules, message) => {
  const [a, b] = members('a', 'b')
  const pattern = defaultPattern({ initialAgent: a!, agents: [{ agent: a!, ...rules }, b!] })
  await expect(initiateGroupChat(pattern, 'Start')).rejects.toMatchObject({ code: 'invalid-argument' })
  await expect(initiateGroupChat(pattern, 'Start')).rejects.toThrow(message)
})

test.each<[unknown, string]>([
  [{ initialAgent: 'a', agents: [], members: [] }, 'the option `members` is unknown; write `agents`'],
  [{ startAgent: 'a' }, 'write `initialAgent`'],
  [{ user: 'a' }, 'write `userAgent`'],
  [{ max_rounds: 3 }, '`initiateGroupChat(pattern, messages, { maxRounds: 20 })`'],
  [{ messages: 'hi' }, 'give them second: `initiateGroupChat(pattern, messages)`'],
  [{ llmConfig: {} }, 'write `groupManagerArgs: { llmConfig }`'],
  [{ handoffs: [] }, '`agents: [{ agent, handoffs: [{ to, when }] }]`'],
  [{ afterWork: 'a' }, 'write `groupAfterWork`'],
])('the option of a pattern of elsewhere in %j is told in the words of this library', (options, text) => {
  expect(() => defaultPattern(options as never)).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
  )
})

test.each<[string, (pattern: object) => unknown[], string]>([
  [
    'a list',
    () => [members('a')],
    'its pattern is a list; make one, as in `roundRobinPattern({ initialAgent, agents })`',
  ],
  ['a group', () => [groupOf(members('a')).group, 'hi'], 'its pattern is a `GroupChat`; give that to a manager'],
  ['nothing', () => [undefined, 'hi'], 'it has no pattern; make one'],
  ['all in one object', (pattern) => [{ pattern, messages: 'hi' }], 'give the pattern alone first'],
  ['a message in an object', (pattern) => [pattern, { message: 'hi' }], 'its messages are an object with `message`'],
  [
    'another limit',
    (pattern) => [pattern, 'hi', { maxTurns: 2 }],
    'the option `maxTurns` is unknown; write `maxRounds`',
  ],
  ['an `abortSignal`', (pattern) => [pattern, 'hi', { abortSignal: {} }], 'write `signal`'],
  ['the members', (pattern) => [pattern, 'hi', { agents: [] }], 'it belongs to the pattern'],
  [
    'nobody to begin',
    ({ agents }: { agents?: unknown }) => [{ agents }, 'hi'],
    'it has no `initialAgent`; name the agent',
  ],
])('a group chat is refused with %s', async (_, argsOf, text) => {
  const [a, b] = members('a', 'b')
  const args = argsOf(defaultPattern({ initialAgent: a!, agents: [a!, b!] })) as Parameters<typeof initiateGroupChat>
  await expect(initiateGroupChat(...args)).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining(text),
  })
})

test.each<[what: string, said: object, readers: readonly number[]]>([
  ['its message has one reader', { messages: [{ to: 'b', content: 'for b' }] }, [0, 1, 0]],
  ['an empty text is no message', { message: '' }, [0, 0, 0]],
])('a function target also decides after a tool, and %s', async (_, said, readers) => {
  const llmConfig = scriptedModel([call('transfer_to_decide_1')])
  const [a, b, c] = [member('a', { llmConfig }), member('b'), member('c')]
  const decide = functionTarget(() => ({ target: c, ...said }), { name: 'decide' })
  const agents = [{ agent: a, handoffs: [{ to: decide, when: 'Decide.' }] }, b, c]
  const { messages } = await initiateGroupChat(defaultPattern({ initialAgent: a, agents, groupManagerArgs }), 'Start')
  expect(lines(messages).at(-1)).toBe('c: "from c"')
  const read = (agent: typeof a) => [...agent.chatMessages.values()][0]!.filter(({ name }) => name === 'decide').length
  expect([a, b, c].map(read)).toEqual(readers)
})

test('function targets that hand over to each other for ever are refused', async () => {
  const a = member('a')
  const decide: FunctionTarget<object> = functionTarget(
    (): { target: FunctionTarget<object> } => ({ target: decide }),
    {
      name: 'decide',
    },
  )
  const pattern = defaultPattern({ initialAgent: a, agents: [{ agent: a, handoffs: [{ to: decide, after: true }] }] })
  await expect(initiateGroupChat(pattern, 'Start')).rejects.toMatchObject({
    code: 'invalid-state',
    message: expect.stringContaining('hand over by the function `decide`: 100 functions in a row'),
  })
})

test('the arguments of `__structured_output` are the reply', async () => {
  const a = member('a', { llmConfig: scriptedModel([call('__structured_output', { answer: 42 })]) })
  const { messages } = await initiateGroupChat(
    defaultPattern({ initialAgent: a, agents: [a], groupManagerArgs }),
    'Start',
  )
  expect(lines(messages).at(-1)).toBe('a: "{\\"answer\\":42}"')
})

test('a member may manage a group, or reply by nested chats', async () => {
  const { manager } = groupOf([member('x'), member('y')], { maxRound: 2 }, { name: 'team' })
  const z = member('z')
  const nests = member('nests')
  nests.registerNestedChats([{ recipient: z, message: 'Work.', maxTurns: 1 }], () => true, { position: 0 })
  const pattern = roundRobinPattern({ initialAgent: manager, agents: [manager, nests], groupManagerArgs })
  const { messages } = await initiateGroupChat(pattern, 'Start', { maxRounds: 3 })
  expect(lines(messages)).toEqual(['_User: "Start"', 'team: "from x"', 'nests: "from z"'])
})

test.each<[what: string, handoff: object, until?: () => never]>([
  ['when', { when: async () => false }],
  ['available', { when: 'Go.', available: async () => false }],
  ['after', { after: async () => false }],
  ['until', { after: true }, (async () => false) as unknown as () => never],
])('a promise of `%s` is refused, and not taken for a yes', async (_, handoff, until) => {
  const [a, b] = [member('a', { llmConfig: scriptedModel(['Hm.']) }), member('b')]
  const agents = [{ agent: a, handoffs: [{ to: b, ...handoff } as never] }, b]
  const pattern = defaultPattern({ initialAgent: a, agents, until, groupManagerArgs })
  await expect(initiateGroupChat(pattern, 'Start')).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('returned a promise'),
  })
})

test.each<[what: string, guardrail: Partial<Guardrail>, reply: Reply]>([
  ['a check that says yes without a reason', { check: (() => true) as unknown as () => string }, 'the key is 5'],
  ['the text of parts', { check: /key/u }, { content: [{ type: 'text', text: 'the key is 5' }] }],
])('an output guardrail heeds %s', async (_, guardrail, reply) => {
  const [a, b] = [member('a', { defaultAutoReply: reply }), member('b')]
  const agents = [{ agent: a, outputGuardrails: [{ name: 'keys', to: b, ...guardrail } as Guardrail] }, b]
  const { messages } = await initiateGroupChat(defaultPattern({ initialAgent: a, agents, groupManagerArgs }), 'Start')
  expect(lines(messages).slice(1)).toEqual([expect.stringContaining("Guardrail 'keys'"), 'b: "from b"'])
})

test('a tool may hand back the object of the variables that it was given', async () => {
  const count = groupTool<{ count: number }>()({
    name: 'count',
    description: 'Counts.',
    execute: (_args, { contextVariables }) => {
      contextVariables.set('count', contextVariables.get('count') + 1)
      return replyResult({ message: 'counted', contextVariables: contextVariables as never })
    },
  })
  for (const journal of [undefined, new ChatJournal()]) {
    const a = member('a', { llmConfig: scriptedModel([call('count'), 'Done.']), functions: count })
    const pattern = defaultPattern({ initialAgent: a, agents: [a], contextVariables: { count: 1 }, groupManagerArgs })
    const { contextVariables } = await initiateGroupChat(pattern, 'Start', { journal })
    expect(contextVariables).toEqual({ count: 2 })
  }
})

test('a chat whose last message answers calls, or stands for a group, goes on with the member before it', async () => {
  const build = () => {
    const llmConfig = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : call('look')))
    const look = groupTool()({ name: 'look', description: 'Looks.', execute: () => 'seen' })
    const [a, b, inner] = [member('a', { llmConfig, functions: look }), member('b'), member('inner')]
    const team = groupChat(defaultPattern({ initialAgent: inner, agents: [inner], groupManagerArgs }))
    const agents = [a, { agent: b, handoffs: [{ to: team, after: true as const }] }]
    return defaultPattern({ initialAgent: a, agents, groupManagerArgs })
  }
  for (const [initialAgent, last, next] of [
    ['a', '_Group_Tool_Executor', 'a'],
    ['b', 'wrapped_group_b_1', 'b'],
  ] as const) {
    const ended = await initiateGroupChat({ ...build(), initialAgent }, 'Start', { maxRounds: 3 })
    expect(ended.lastSpeaker).toBe(last)
    const more = [...ended.messages, { role: 'user' as const, content: 'Go on.' }]
    const { messages } = await initiateGroupChat({ ...build(), initialAgent: ended.lastSpeaker }, more, {
      maxRounds: 2,
    })
    expect(messages[4]!.name).toBe(next)
  }
})

test('a chat goes on from messages of an agent that stands for a target of a tool', async () => {
  const build = () => {
    const to = nestedChat([{ recipient: member('x'), message: 'Work.' }])
    const execute = () => replyResult({ message: 'Asked.', target: to })
    const ask = groupTool()({ name: 'ask', description: 'Asks x.', execute })
    const llmConfig = functionModel(({ messages }) => (messages.length === 2 ? call('ask') : 'Done.'))
    const a = member('a', { llmConfig, functions: ask })
    return defaultPattern({ initialAgent: a, agents: [a], groupManagerArgs })
  }
  const { messages } = await initiateGroupChat(build(), 'Start')
  const { summary } = await initiateGroupChat(build(), [...messages, { role: 'user', content: 'Go on.' }])
  expect([messages[3]!.name, summary]).toEqual(['wrapped_nested_a_1', 'Done.'])
})

test('every member sees the images of a message, and guardrails read its text', async () => {
  const content = [
    { type: 'text' as const, text: 'Whose is it?' },
    { type: 'image_url' as const, image_url: { url: 'https://example.com/cat.png' } },
  ]
  const seen: unknown[] = []
  const llmConfig = functionModel(({ messages }) => {
    seen.push(messages[1]!.content)
    return 'Mine.'
  })
  const [a, b, c] = [member('a', { llmConfig }), member('b', { llmConfig }), member('c', { llmConfig })]
  const inputGuardrails = [{ name: 'owners', check: /Whose/u, to: c }]
  const agents = [{ agent: a, handoffs: [{ to: b, after: true as const }] }, { agent: b, inputGuardrails }, c]
  const pattern = defaultPattern({ initialAgent: a, agents, groupManagerArgs })
  const { messages, lastSpeaker } = await initiateGroupChat(pattern, [{ role: 'user', content }])
  expect(messages[0]!.content).toEqual(content)
  expect(seen).toEqual([content, content])
  expect(lastSpeaker).toBe('c')
})

test('a message of the user may have null for a name', async () => {
  const a = member('a')
  const earlier = ['One.', 'Two.'].map((content) => ({ role: 'user' as const, content, name: null as never }))
  const { messages } = await initiateGroupChat(
    defaultPattern({ initialAgent: a, agents: [a], groupManagerArgs }),
    earlier,
  )
  expect(lines(messages)).toEqual(['_User: "One."', '_User: "Two."', 'a: "from a"'])
})

test('a chat goes on from one that waited for a decision, whose calls are answered as stopped', async () => {
  const pay = groupTool()({ name: 'pay', description: 'Pays.', needsApproval: true, execute: () => 'paid' })
  const llmConfig = functionModel(({ messages }) =>
    messages.some(({ tool_calls: calls }) => calls) ? messages.map(({ role }) => role).join(' ') : call('pay'),
  )
  const a = member('a', { llmConfig, functions: pay, systemMessage: '' })
  const pattern = defaultPattern({ initialAgent: a, agents: [a], groupManagerArgs })
  const waiting = await initiateGroupChat(pattern, 'Pay.', { journal: new ChatJournal() })
  expect(waiting.terminationReason).toBe('suspended')
  const next = [...waiting.messages, { role: 'user' as const, content: 'Never mind.' }]
  expect((await initiateGroupChat(pattern, next)).summary).toContain('user assistant tool user')
})

test('a handoff to a name that no tool can have asks for a `toolName`', async () => {
  const [a, b] = [member('a', { llmConfig: scriptedModel(['Hm.']) }), member('Zoë')]
  const run = (handoff: object) =>
    initiateGroupChat(
      defaultPattern({ initialAgent: a, agents: [{ agent: a, handoffs: [{ to: b, when: 'Go.', ...handoff }] }, b] }),
      'Start',
    )
  await expect(run({})).rejects.toMatchObject({
    code: 'invalid-name',
    message: expect.stringContaining('`toolName`'),
  })
  expect(lines((await run({ toolName: 'to_zoe' })).messages).at(-1)).toBe('a: "Hm."')
})
