import type { ChatMessage, EventEnvelope, UsageSummary, XEvent } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { EventFold, foldEvents, type FoldedRun } from './events.ts'

type EventOf<T extends XEvent['type']> = Extract<XEvent, { type: T }>
type Fields<T extends XEvent['type']> = Partial<Omit<EventOf<T>, 'type'>>

const ENVELOPE: EventEnvelope = { runId: 'run', seq: 0, time: 7, chatId: '1', agentPath: ['bot'], parentId: null }

const make = <T extends XEvent['type']>(type: T, fields: object): EventOf<T> =>
  ({ ...ENVELOPE, type, agent: 'bot', ...fields }) as unknown as EventOf<T>

const ENDED = { ms: 3, outcome: 'ok', error: null } as const
const NO_SUMMARY: UsageSummary = { totalCost: 0, models: {} }
const COST = { usageIncludingCachedInference: NO_SUMMARY, usageExcludingCachedInference: NO_SUMMARY }

const chatStart = (fields: Fields<'chatStart'> = {}): XEvent =>
  make('chatStart', { id: '1.chat', agent: 'user', recipient: 'bot', message: 'hi', ...fields })

const chatEnd = (fields: Fields<'chatEnd'> = {}): XEvent =>
  make('chatEnd', {
    ...{ ...ENDED, id: '1.chat', agent: 'user', recipient: 'bot', terminationReason: 'max-turns' },
    ...{ summary: 'sum', result: null, cost: COST, humanInput: ['ok'], messages: null, ...fields },
  })

const message = (sender: string, index: number, content: string, fields: Fields<'receivedMessage'> = {}): XEvent =>
  make('receivedMessage', {
    ...{ agent: sender, sender, recipient: sender === 'user' ? 'bot' : 'user', parentId: '1.chat' },
    ...{ message: Object.freeze({ role: 'user', name: sender, content }), index, ...fields },
  })

const callStart = (id: string, fields: Fields<'modelCallStart'> = {}): XEvent =>
  make('modelCallStart', { id, parentId: '1.chat', ...fields })

const callEnd = (id: string, fields: Fields<'modelCallEnd'> = {}): XEvent =>
  make('modelCallEnd', {
    ...ENDED,
    id,
    parentId: '1.chat',
    model: 'm',
    cached: false,
    usage: null,
    cost: null,
    ...fields,
  })

const attemptEnd = (id: string, fields: Fields<'modelAttemptEnd'> = {}): XEvent =>
  make('modelAttemptEnd', {
    ...{ ...ENDED, id, parentId: 'call', model: 'asked', responseModel: 'm', cached: false },
    ...{ usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12 }, cost: 0.5, ...fields },
  })

const text = (piece: string, fields: Fields<'textDelta'> = {}): XEvent =>
  make('textDelta', { parentId: 'call', index: 0, text: piece, ...fields })

const toolStart = (id: string, fields: Fields<'toolStart'> = {}): XEvent =>
  make('toolStart', { id, parentId: '1.chat', name: 'add', callId: 'c1', arguments: { a: 1 }, ...fields })

const toolEnd = (id: string, fields: Fields<'toolEnd'> = {}): XEvent =>
  make('toolEnd', {
    ...{ ...ENDED, id, parentId: '1.chat', name: 'add', callId: 'c1', arguments: { a: 1 } },
    ...{ result: '2', parts: null, approval: null, ...fields },
  })

const approval = (parentId: string): XEvent =>
  make('approvalRequested', { id: '1.2', parentId, action: { type: 'code', blocks: [] } })

const contents = ({ messages }: FoldedRun): unknown[] => messages.map(({ content }) => content)

/** The spans of a tree, each with its outcome and those inside it. */
const outline = (spans: FoldedRun['tree']): unknown[] =>
  spans.map(({ kind, outcome, children }) =>
    children.length > 0 ? [`${kind} ${outcome}`, outline(children)] : `${kind} ${outcome}`,
  )

const CHAT = [chatStart(), message('user', 0, 'hi'), message('bot', 1, 'hello')]

it('is empty without events', () => {
  expect(foldEvents([])).toEqual({
    ...{ runId: null, result: null, messages: [], usage: COST, cost: 0 },
    ...{ chats: [], toolCalls: [], approvals: [], answers: [], models: {}, tree: [] },
  })
})

describe('a chat', () => {
  it('has the result that the operation returned, and until then none', () => {
    const fold = new EventFold()
    for (const event of CHAT) fold.add(event)
    expect(fold.value).toMatchObject({ runId: 'run', result: null, chats: [{ outcome: 'running', summary: null }] })
    fold.add(chatEnd())
    const chatHistory: ChatMessage[] = [
      { role: 'assistant', name: 'user', content: 'hi' },
      { role: 'user', name: 'bot', content: 'hello' },
    ]
    expect(fold.value.result).toEqual({
      ...{ chatId: null, chatHistory, summary: 'sum', cost: COST, humanInput: ['ok'], terminationReason: 'max-turns' },
    })
    expect(fold.value.messages).toEqual(chatHistory)
    expect(fold.value.chats).toMatchObject([
      { id: '1.chat', chatId: '1', agent: 'user', recipient: 'bot', nested: false, summary: 'sum', outcome: 'ok' },
    ])
  })

  it('has the value of a run with a result', () => {
    const end = chatEnd({ terminationReason: 'result', result: { rows: 3 } })
    expect(foldEvents([...CHAT, end]).result).toMatchObject({ result: { rows: 3 } })
    expect(foldEvents([...CHAT, chatEnd()]).result).not.toHaveProperty('result')
  })

  it('has no result after an error', () => {
    const error = { code: 'timeout', message: 'late' }
    const end = chatEnd({ outcome: 'error', error, terminationReason: null, summary: null, cost: null })
    const run = foldEvents([...CHAT, end])
    expect(run.result).toBeNull()
    expect(run.chats).toMatchObject([{ outcome: 'error', error, messages: [{}, {}] }])
  })

  it('takes the whole history from its end, if that has one', () => {
    const told = [chatStart(), message('user', 1, 'hi'), message('bot', 2, 'hello')]
    expect(foldEvents(told).chats).toMatchObject([{ firstIndex: 1, messages: [{ content: 'hi' }, {}] }])
    const whole: ChatMessage[] = [{ content: 'earlier' }, { content: 'hi' }, { content: 'hello' }]
    const run = foldEvents([...told, chatEnd({ messages: whole })])
    expect(run.chats).toMatchObject([{ firstIndex: 0, messages: whole }])
    expect(run.result).toMatchObject({ chatHistory: whole })
  })

  it('keeps the roles of calls and results, and leaves the messages of events as they are', () => {
    const call = { role: 'assistant', content: null, tool_calls: [] } as const
    const result = { role: 'tool', content: '2' } as const
    const events = [
      chatStart(),
      message('user', 0, '', { message: result }),
      message('bot', 1, '', { message: call as unknown as ChatMessage }),
      message('user', 2, 'so?'),
    ]
    const before = JSON.stringify(events)
    expect(foldEvents(events).messages.map(({ role }) => role)).toEqual(['tool', 'assistant', 'assistant'])
    expect(JSON.stringify(events)).toBe(before)
  })

  it('has the messages of its two agents, once each', () => {
    const others = [
      message('bot', 0, 'to a member', { recipient: 'cook' }),
      message('user', 0, 'elsewhere', { chatId: '1.4' }),
    ]
    const run = foldEvents([...CHAT, ...others, message('bot', 1, 'hello again')])
    expect(contents(run)).toEqual(['hi', 'hello again'])
  })

  it('has what the members of a group say to its manager, as it is passed on', () => {
    const speaks = (speaker: string): XEvent =>
      make('groupChatRunChat', { agent: speaker, speaker, round: 1, reason: 'auto' })
    const call = { role: 'assistant', content: null, tool_calls: [] } as unknown as ChatMessage
    const run = foldEvents([
      ...[chatStart(), message('user', 0, 'hi'), message('guest', 0, 'before', { recipient: 'bot' })],
      ...[speaks('cook'), message('cook', 1, 'soup', { recipient: 'bot' })],
      ...[speaks('cook'), message('cook', 2, '', { recipient: 'bot', message: call })],
      ...[speaks('user'), message('user', 3, 'thanks'), message('cook', 4, 'aside', { recipient: 'guest' })],
    ])
    expect(run.messages.map(({ name, role, content }) => [name, role, content])).toEqual([
      ['user', 'assistant', 'hi'],
      ['cook', 'user', 'soup'],
      ['cook', 'assistant', null],
      ['user', 'assistant', 'thanks'],
    ])
  })

  it('is told apart from the chats inside it, and the last of several is the outermost', () => {
    const inner = { id: '1.4.chat', chatId: '1.4', parentId: '1.3', agent: 'bot', recipient: 'critic' }
    const next = { id: '2.chat', chatId: '2' }
    const run = foldEvents([
      ...[
        chatStart(),
        toolStart('1.3'),
        chatStart(inner),
        message('bot', 0, 'well?', { recipient: 'critic', chatId: '1.4' }),
      ],
      ...[chatEnd({ ...inner, summary: 'fine' }), toolEnd('1.3'), chatEnd()],
      ...[chatStart(next), message('user', 0, 'more', { chatId: '2' }), chatEnd({ ...next, summary: 'last' })],
    ])
    expect(run.chats.map(({ chatId, nested, summary }) => [chatId, nested, summary])).toEqual([
      ['1', false, 'sum'],
      ['1.4', true, 'fine'],
      ['2', false, 'last'],
    ])
    expect(run.chats[1]!.messages).toMatchObject([{ role: 'assistant', content: 'well?' }])
    expect(run.result).toMatchObject({ summary: 'last' })
    expect(contents(run)).toEqual(['more'])
  })
})

it('gives the reply of a run that is no chat', () => {
  const start = make('replyStart', { id: 'span0', sender: null, chatId: null })
  const end = make('replyEnd', { ...ENDED, id: 'span0', sender: null, chatId: null, reply: 'hello' })
  expect(foldEvents([start]).result).toBeNull()
  expect(foldEvents([start, end]).result).toBe('hello')
})

describe('usage', () => {
  const used = (totalCost: number, tokens: readonly [number, number, number]): UsageSummary => {
    const [promptTokens, completionTokens, totalTokens] = tokens
    return { totalCost, models: { m: { cost: totalCost, promptTokens, completionTokens, totalTokens } } }
  }
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 }

  it('is that of attempts, else that of calls', () => {
    const run = foldEvents([
      ...[callStart('call'), attemptEnd('a0'), attemptEnd('a1', { cached: true, cost: 0.25 })],
      callEnd('call', { usage, cost: 9 }),
      ...[callStart('other'), callEnd('other', { usage, cost: 0.5 })],
    ])
    expect(run.usage.usageIncludingCachedInference).toEqual(used(1.25, [21, 5, 26]))
    expect(run.usage.usageExcludingCachedInference).toEqual(used(1, [11, 3, 14]))
    expect(run.cost).toBe(1)
  })

  it('counts an attempt once, however often it ends, and names models without a price', () => {
    const run = foldEvents([
      ...[callStart('call'), attemptEnd('a0'), attemptEnd('a0', { cost: null })],
      callEnd('call', { usage, cost: 9 }),
    ])
    expect(run.usage.usageExcludingCachedInference).toEqual({ ...used(0, [10, 2, 12]), unpriced: ['m'] })
  })

  it('counts the attempts of a call that was told first', () => {
    const run = foldEvents([callStart('call'), callEnd('call', { usage, cost: 9 }), attemptEnd('a0')])
    expect(run.cost).toBe(0.5)
  })

  it('counts an attempt without an answer for the model that was asked, and nothing for one without usage', () => {
    const failed = { outcome: 'error', responseModel: null } as const
    const run = foldEvents([attemptEnd('a0', failed), attemptEnd('a1', { ...failed, usage: null, cost: null })])
    expect(Object.keys(run.usage.usageExcludingCachedInference.models)).toEqual(['asked'])
  })

  it('is that of the jobs of a search whose models tell none', () => {
    const job = (id: string, fields: Fields<'searchJobEnd'> = {}): XEvent =>
      make('searchJobEnd', {
        ...{ ...ENDED, id, job: id, kind: 'grade', nodes: [], failure: null, replayed: false },
        ...{ used: { calls: 1, promptTokens: 3, completionTokens: 1, cost: 0.5, model: 'm' }, ...fields },
      })
    const run = foldEvents([job('j1'), job('j2', { replayed: true }), attemptEnd('a0', { parentId: 'j3' }), job('j3')])
    expect(run.usage.usageExcludingCachedInference).toEqual(used(1, [13, 3, 16]))
    expect(foldEvents([job('j3'), attemptEnd('a0', { parentId: 'j3' })]).cost).toBe(0.5)
  })
})

describe('tool calls', () => {
  it('have what went in and came out', () => {
    const fold = new EventFold()
    fold.add(toolStart('t', { time: 40 }))
    const begun = { id: 't', name: 'add', callId: 'c1', arguments: { a: 1 }, agent: 'bot', chatId: '1', time: 40 }
    const open = { result: null, parts: null, approval: null, ms: null, outcome: 'running', error: null }
    expect(fold.value.toolCalls).toEqual([{ ...begun, ...open }])
    const decided = { allow: true, reason: null, by: 'ann' }
    fold.add(toolEnd('t', { time: 43, arguments: { a: 2 }, approval: decided }))
    const done = { arguments: { a: 2 }, result: '2', approval: decided, ms: 3, outcome: 'ok' }
    expect(fold.value.toolCalls).toEqual([{ ...begun, ...open, ...done }])
  })

  it('wait for their approvals until they go on', () => {
    const fold = new EventFold()
    const suspended = { outcome: 'suspended', result: null } as const
    for (const event of [chatStart(), toolStart('t'), approval('t'), toolEnd('t', suspended)]) fold.add(event)
    fold.add(chatEnd({ outcome: 'suspended', terminationReason: 'suspended' }))
    expect(fold.value.approvals).toEqual([
      { id: '1.2', chatId: '1', agentPath: ['bot'], agent: 'bot', action: { type: 'code', blocks: [] } },
    ])
    expect(fold.value.result).toMatchObject({ terminationReason: 'suspended' })
    fold.add(chatStart({ resumed: true }))
    expect(fold.value.approvals).toHaveLength(1)
    fold.add(toolStart('t', { resumed: true }))
    expect(fold.value.approvals).toEqual([])
    expect(fold.value.toolCalls).toMatchObject([{ outcome: 'running', result: null }])
  })

  it('wait for nothing once what they are in has ended', () => {
    const stopped = chatEnd({ outcome: 'aborted' })
    expect(foldEvents([chatStart(), toolStart('t'), approval('t'), stopped]).approvals).toEqual([])
    expect(foldEvents([approval('t'), toolEnd('t', { outcome: 'error' })]).approvals).toEqual([])
  })
})

describe('answers that are being written', () => {
  const begin = make('answerBegin', { parentId: 'call', responseId: 'r', model: 'm' })
  const answersOf = (...events: XEvent[]): unknown =>
    foldEvents([chatStart(), callStart('call'), ...events]).answers.map((each) => [each.text, each.reasoning])

  it('have the text and reasoning of the first choice, until the call ends', () => {
    const thought = make('reasoningDelta', { parentId: 'call', index: 0, text: 'hm' })
    const pieces = [begin, thought, text('Hel'), text('lo'), text('other', { index: 1 })]
    expect(answersOf(...pieces)).toEqual([['Hello', 'hm']])
    expect(foldEvents([callStart('call'), ...pieces]).answers).toMatchObject([
      { id: 'call', agent: 'bot', chatId: '1' },
    ])
    expect(answersOf(...pieces, callEnd('call'))).toEqual([])
  })

  it('begin again with a further answer, or in a further process', () => {
    expect(answersOf(text('Hel'), begin, text('Oh'))).toEqual([['Oh', '']])
    expect(answersOf(text('Hel'), callStart('call'), text('Oh'))).toEqual([['Oh', '']])
    expect(answersOf(text('Hel'), chatStart())).toEqual([])
  })

  it('know text that was reasoning, and the call around an attempt', () => {
    const wasReasoning = make('textWasReasoning', { parentId: 'call', index: 0 })
    expect(answersOf(text('hm'), wasReasoning, text('Oh'))).toEqual([['Oh', 'hm']])
    const attempt = make('modelAttemptStart', { id: 'a0', parentId: 'call' })
    expect(answersOf(attempt, text('Oh', { parentId: 'a0' }), text('!'))).toEqual([['Oh!', '']])
    expect(answersOf(text('nowhere', { parentId: null }))).toEqual([])
  })
})

it('knows the model that answered last for an agent', () => {
  const begin = make('answerBegin', { agent: 'cook', parentId: 'call', responseId: 'r', model: 'small' })
  const failed = callEnd('other', { outcome: 'error', model: null })
  expect(foldEvents([callStart('call'), begin, callEnd('call', { model: 'large' }), failed]).models).toEqual({
    ...{ bot: 'large', cook: 'small' },
  })
})

describe('the tree', () => {
  it('has the spans inside each other, with their events', () => {
    const [start, end] = [toolStart('t'), toolEnd('t')]
    const run = foldEvents([chatStart(), start, callStart('call', { parentId: 't' }), callEnd('call'), end])
    expect(outline(run.tree)).toEqual([['chat running', [['tool ok', ['modelCall ok']]]]])
    expect(run.tree[0]).toMatchObject({ id: '1.chat', parentId: null, end: null })
    expect(run.tree[0]!.children[0]).toMatchObject({ id: 't', parentId: '1.chat', start, end })
    const fold = new EventFold()
    fold.add(start)
    expect(fold.span('t')).toBe(fold.value.tree[0])
  })

  it('puts a span into its parent as soon as that is told', () => {
    const [reply, end] = [make('replyStart', { id: 'r', parentId: '1.chat' }), toolEnd('t', { parentId: 'r' })]
    expect(outline(foldEvents([end, reply]).tree)).toEqual([['reply running', ['tool ok']]])
    expect(foldEvents([end, reply]).tree[0]!.children[0]).toMatchObject({ start: null, end })
    expect(outline(foldEvents([end, reply, chatStart()]).tree)).toEqual([
      ['chat running', [['reply running', ['tool ok']]]],
    ])
  })

  it('does not fail at events that it does not know', () => {
    const known = foldEvents([...CHAT, chatEnd()])
    const later = make('custom', { type: 'ofALaterVersion', text: 'x' })
    const outOfOrder = [text('x', { parentId: 'gone' }), message('user', 0, 'x', { chatId: '9' })]
    const run = foldEvents([later, ...outOfOrder, ...CHAT, chatEnd()])
    expect({ ...run, answers: [] }).toEqual(known)
    expect(new EventFold().span('gone')).toBeUndefined()
  })
})

describe('a run that lived in several processes', () => {
  const killed = [...CHAT, toolStart('t1'), toolStart('t2'), callStart('call'), text('Hel')]

  it('ends the open spans of a process that was killed, unless they start again', () => {
    expect(outline(foldEvents(killed).tree)).toEqual([
      ['chat running', ['tool running', 'tool running', 'modelCall running']],
    ])
    const run = foldEvents([...killed, chatStart({ resumed: true }), toolStart('t2'), toolEnd('t2'), chatEnd()])
    expect(outline(run.tree)).toEqual([['chat ok', ['tool interrupted', 'tool ok', 'modelCall interrupted']]])
    expect(run.toolCalls.map(({ outcome }) => outcome)).toEqual(['interrupted', 'ok'])
    expect(run.answers).toEqual([])
    expect(run.result).toMatchObject({ summary: 'sum' })
  })

  it('has the last end', () => {
    const suspended = chatEnd({ outcome: 'suspended', terminationReason: 'suspended' })
    const again = [...CHAT, suspended, chatStart({ resumed: true })]
    expect(foldEvents(again)).toMatchObject({ result: null, chats: [{ outcome: 'running', terminationReason: null }] })
    expect(foldEvents([...again, chatEnd()]).result).toMatchObject({ terminationReason: 'max-turns' })
  })

  it('forgets the messages that came after the place at which it goes on', () => {
    const more = [message('user', 2, 'and?'), message('bot', 3, 'lost'), message('user', 4, 'lost too')]
    const again = [...CHAT, ...more, chatStart({ resumed: true }), message('bot', 3, 'kept')]
    expect(contents(foldEvents(again))).toEqual(['hi', 'hello', 'and?', 'kept'])
    expect(contents(foldEvents([...again, message('user', 4, 'next')]))).toEqual([
      'hi',
      'hello',
      'and?',
      'kept',
      'next',
    ])
  })

  it('goes on behind a history that an end has told', () => {
    const whole: ChatMessage[] = [{ content: 'earlier' }, { content: 'hi' }, { content: 'stopped' }]
    const events = [...CHAT, chatEnd({ messages: whole }), chatStart({ resumed: true }), message('bot', 2, 'hello')]
    expect(contents(foldEvents(events))).toEqual(['earlier', 'hi', 'hello'])
  })

  it('keeps its messages while recalled ones are told again', () => {
    const recalled = { recalled: true } as const
    const again = [chatStart({ resumed: true, ...recalled }), message('user', 0, 'hi', recalled)]
    expect(contents(foldEvents([...CHAT, ...again]))).toEqual(['hi', 'hello'])
    expect(contents(foldEvents([...CHAT, ...again, message('bot', 1, 'anew')]))).toEqual(['hi', 'anew'])
  })

  it('is the same for a reader who reads all of it twice', () => {
    const events = [...CHAT, toolStart('t1'), toolEnd('t1'), callStart('call'), attemptEnd('a0'), callEnd('call')]
    const whole = [...events, chatEnd()]
    expect(foldEvents([...whole, ...whole])).toEqual(foldEvents(whole))
  })
})
