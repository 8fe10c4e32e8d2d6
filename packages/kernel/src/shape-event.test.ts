import type { ChatMessage, EventEnvelope, UsageSummary, XEvent } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { shapeEvent } from './in-run.ts'

/** A text that people, models, tools or code have written. */
const CANARY = 'canary, written by somebody'

const ENVELOPE: EventEnvelope = { runId: 'run', seq: 1, time: 5, chatId: '1', agentPath: ['bot'], parentId: '1.0' }
const SUMMARY: UsageSummary = {
  totalCost: 1,
  models: { m: { cost: 1, promptTokens: 1, completionTokens: 1, totalTokens: 2 } },
}
const COST = { usageIncludingCachedInference: SUMMARY, usageExcludingCachedInference: SUMMARY }
const USAGE = { promptTokens: 1, completionTokens: 2, totalTokens: 3 }
const MENTIONS = { agent: null, mentions: { bot: 2 }, attempt: 1, attemptsLeft: 2 } as const
const END = { id: '1.4', ms: 3, outcome: 'error', error: { code: 'tool-failed', message: CANARY } } as const
const START = { id: '1.4' } as const
const BOTH = { agent: 'bot', sender: 'user', recipient: 'bot' } as const
const ATTEMPT = { agent: 'bot', configId: 0, provider: '@x/p', endpoint: 'api.test', model: 'm' } as const
const SEARCHED = { calls: 1, promptTokens: 1, completionTokens: 1, cost: 0, model: 'm' }
const CODE = { language: 'sh', code: CANARY }

const MESSAGE: ChatMessage = Object.freeze({
  content: [
    { type: 'text', text: CANARY },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${CANARY}` } },
  ],
  role: 'assistant',
  name: 'bot',
  function_call: { name: 'add', arguments: JSON.stringify({ a: CANARY }) },
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: JSON.stringify({ a: CANARY }) } }],
  tool_responses: [{ role: 'tool', tool_call_id: 'c0', content: CANARY }],
  tool_call_id: 'c0',
  context: { user: CANARY },
  provider_metadata: { thought: CANARY },
} satisfies ChatMessage)

type Samples = { readonly [T in XEvent['type']]: Omit<Extract<XEvent, { type: T }>, 'type' | keyof EventEnvelope> }

/** One event of each type, with the canary in each place where others write. */
const SAMPLES: Samples = {
  usageSummary: { agent: 'bot', actualUsageSummary: SUMMARY, totalUsageSummary: SUMMARY, mode: 'both' },
  conversableAgentUsageSummary: BOTH,
  conversableAgentUsageSummaryNoCostIncurred: BOTH,
  clearConversableAgentHistory: { agent: 'bot', noMessagesPreserved: 2 },
  clearConversableAgentHistoryWarning: BOTH,
  terminationAndHumanReply: { ...BOTH, noHumanInputMsg: CANARY },
  usingAutoReply: { ...BOTH, humanInputMode: 'ALWAYS' },
  executeCodeBlock: { ...BOTH, ...CODE, codeBlockCount: 0 },
  executeFunction: { ...BOTH, funcName: 'add', callId: 'c1', arguments: { a: CANARY } },
  executedFunction: { ...BOTH, funcName: 'add', callId: 'c1', arguments: CANARY, content: CANARY },
  groupChatRunChat: { agent: 'manager', speaker: 'bot', round: 2, reason: 'auto' },
  groupChatResume: { agent: 'manager', lastSpeaker: 'bot', messages: [MESSAGE] },
  clearAgentsHistory: { agent: 'manager', nrMessagesToPreserve: 3 },
  selectSpeaker: { agent: null, agents: ['bot'] },
  selectSpeakerInvalidInput: { agent: null, agents: ['bot'] },
  selectSpeakerTryCountExceeded: { agent: null, tryCount: 3, agents: ['bot'] },
  speakerAttemptSuccessful: MENTIONS,
  speakerAttemptFailedMultipleAgents: MENTIONS,
  speakerAttemptFailedNoAgents: MENTIONS,
  receivedMessage: { ...BOTH, message: MESSAGE, index: 4, silent: true },
  answerBegin: { agent: 'bot', responseId: 'r1', model: 'm' },
  textDelta: { agent: 'bot', index: 0, text: CANARY },
  reasoningDelta: { agent: 'bot', index: 0, text: CANARY },
  textWasReasoning: { agent: 'bot', index: 0 },
  toolInputDelta: { agent: 'bot', index: 0, call: 0, callId: 'c1', name: 'add', text: CANARY },
  toolProgress: {
    ...{ agent: 'bot', source: 'files', name: 'add', callId: 'c1' },
    ...{ progress: 1, total: 2, message: CANARY },
  },
  codeOutput: { agent: 'bot', stream: 'stdout', text: CANARY, block: 0 },
  approvalRequested: { agent: 'bot', id: '1.2', action: { type: 'code', blocks: [CODE] } },
  handoff: { agent: 'bot', to: 'other', target: 'agent', by: 'tool' },
  safeguard: { agent: 'bot', source: 'bot', target: 'user', action: 'mask', check: 'regex' },
  steeringMessage: { agent: 'bot', text: CANARY },
  historyCut: {
    ...{ agent: 'bot', reason: 'tokens', tokensBefore: 9, tokensAfter: 4, leftOut: 3 },
    ...{ summarized: 2, cleared: 1, shortened: 1 },
  },
  searchNode: { agent: 'bot', node: 'n1', parent: 'n0', content: CANARY, depth: 1 },
  searchGrade: { agent: 'bot', node: 'n1', grade: 0.5, details: CANARY },
  searchFate: { agent: 'bot', node: 'n1', fate: 'pruned' },
  searchBest: { agent: 'bot', node: 'n1', text: CANARY, grade: 1 },
  waitingToRetry: { agent: null, kind: 'overloaded', reason: CANARY, failures: 2, delayMs: 1500 },
  warning: { agent: 'bot', text: CANARY, topic: 'price' },
  custom: { agent: 'bot', name: 'ordered', data: { id: CANARY } },
  chatStart: {
    ...{ ...START, agent: 'user', recipient: 'bot', message: CANARY },
    options: { maxTurns: 3, clearHistory: true, conversation: 'own', silent: false, summaryMethod: 'last_msg' },
  },
  chatEnd: {
    ...{ ...END, agent: 'user', recipient: 'bot', terminationReason: 'max-turns', summary: { text: CANARY } },
    ...{ result: CANARY, cost: COST, humanInput: [CANARY], messages: [MESSAGE] },
    group: { contextVariables: { a: CANARY }, lastSpeaker: 'bot', messages: [MESSAGE], terminationDetail: CANARY },
  },
  replyStart: { ...START, agent: 'bot', sender: 'user' },
  replyEnd: { ...END, agent: 'bot', sender: 'user', reply: CANARY },
  modelCallStart: { ...START, agent: 'bot' },
  modelCallEnd: {
    ...{ ...END, agent: 'bot', message: MESSAGE, details: { reasoning: CANARY }, model: 'm', configId: 0 },
    ...{ finishReason: 'stop', cached: false, usage: USAGE, cost: 1 },
  },
  modelAttemptStart: {
    ...{ ...START, ...ATTEMPT, messages: 2, digest: 'd', streamed: true },
    parameters: { temperature: 1, store: false, stop: CANARY, metadata: { user: CANARY } },
  },
  modelAttemptEnd: {
    ...{ ...END, ...ATTEMPT, cached: false, sendings: 1, waitedMs: 4, kind: 'server', responseId: 'r1' },
    ...{ responseModel: 'm', finishReason: 'stop', firstTokenAt: 6, usage: USAGE, cost: 1 },
  },
  toolStart: { ...START, agent: 'bot', name: 'add', callId: 'c1', arguments: { a: CANARY } },
  toolEnd: {
    ...{ ...END, agent: 'bot', name: 'add', callId: 'c1', arguments: { a: CANARY }, result: CANARY },
    ...{ parts: [{ type: 'text', text: CANARY }], approval: { allow: false, reason: CANARY, by: 'human' } },
  },
  codeStart: { ...START, agent: 'bot', blocks: [CODE] },
  codeEnd: { ...END, agent: 'bot', exitCode: 1, output: CANARY, artifacts: [{ name: CANARY, size: 1, kind: 'file' }] },
  humanInputStart: { ...START, agent: 'user', prompt: CANARY },
  humanInputEnd: { ...END, agent: 'user', answer: CANARY },
  searchStart: { ...START, agent: 'bot', question: CANARY },
  searchEnd: { ...END, agent: 'bot', status: 'accepted', answer: CANARY, used: SEARCHED },
  searchJobStart: { ...START, agent: 'bot', job: 'j1', kind: 'grade' },
  searchJobEnd: {
    ...{ ...END, agent: 'bot', job: 'j1', kind: 'grade' },
    ...{ nodes: ['n1'], used: SEARCHED, failure: CANARY, replayed: false },
  },
}

const EVENTS = Object.entries(SAMPLES).map(([type, fields]) => ({ ...ENVELOPE, type, ...fields }) as unknown as XEvent)

const PIECES = new Set(['textDelta', 'reasoningDelta', 'toolInputDelta', 'codeOutput'])

/** Returns an event of a type as the options want it. */
function shaped<T extends XEvent['type']>(type: T, options: Parameters<typeof shapeEvent>[1]) {
  return shapeEvent(sample(type), options) as Extract<XEvent, { type: T }> | null
}

const sample = (type: XEvent['type']): XEvent => EVENTS.find((event) => event.type === type)!

it('sends an event as it is without options', () => {
  for (const event of EVENTS) {
    expect(shapeEvent(event, undefined)).toBe(event)
    expect(shapeEvent(event, {})).toBe(event)
  }
})

describe('without content', () => {
  it.each(EVENTS)('leaves nothing that somebody wrote in $type', (event) => {
    const before = JSON.stringify(event)
    const bare = shapeEvent(event, { content: false })
    expect(JSON.stringify(event)).toBe(before)
    if (PIECES.has(event.type)) return expect(bare).toBeNull()
    expect(JSON.stringify(bare)).not.toContain('canary')
    expect(Object.keys(bare!)).toEqual(Object.keys(event))
    if (!before.includes('canary')) expect(bare).toEqual(event)
  })

  it('keeps the form of messages, and the names and ids of their calls', () => {
    const { message } = shaped('receivedMessage', { content: false })!
    expect(message).toEqual({
      content: [],
      role: 'assistant',
      name: 'bot',
      function_call: { name: 'add', arguments: '{}' },
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } }],
      tool_responses: [{ role: 'tool', tool_call_id: 'c0', content: '' }],
      tool_call_id: 'c0',
    })
    expect(shaped('chatEnd', { content: false })).toMatchObject({
      ...{ summary: {}, result: null, humanInput: [], cost: COST, messages: [message] },
      error: { code: 'tool-failed', message: '' },
    })
  })

  it('keeps codes, topics, numbers and decisions', () => {
    expect(shaped('warning', { content: false })).toEqual({ ...sample('warning'), text: '' })
    expect(shaped('modelAttemptStart', { content: false })!.parameters).toEqual({ temperature: 1, store: false })
    expect(shaped('toolEnd', { content: false })).toMatchObject({
      ...{ arguments: null, result: '', parts: [], approval: { allow: false, reason: '', by: 'human' } },
    })
    expect(shaped('approvalRequested', { content: false })!.action).toEqual({ type: 'code', blocks: [] })
    expect(shaped('codeEnd', { content: false })).toMatchObject({ exitCode: 1, output: '', artifacts: [] })
  })

  it('leaves null as it is', () => {
    const event = { ...sample('humanInputEnd'), outcome: 'ok', error: null, answer: null } as XEvent
    expect(shapeEvent(event, { content: false })).toEqual(event)
  })

  it('does not send what it does not know', () => {
    const later = { ...ENVELOPE, type: 'ofALaterVersion', text: CANARY } as unknown as XEvent
    expect(shapeEvent(later, { content: false })).toBeNull()
    const wider = { ...sample('custom'), more: CANARY } as unknown as XEvent
    expect(JSON.stringify(shapeEvent(wider, { content: false }))).not.toContain('canary')
  })
})

describe('with a maximum of text', () => {
  const CUT = 'canary… (27 characters)'

  it.each(EVENTS)('cuts each text of the content in $type', (event) => {
    const before = JSON.stringify(event)
    const short = shapeEvent(event, { maxTextLength: 6 })!
    expect(JSON.stringify(event)).toBe(before)
    expect(JSON.stringify(short)).not.toContain(CANARY)
    expect(Object.keys(short)).toEqual(Object.keys(event))
    if (!before.includes(CANARY)) expect(short).toEqual(event)
    expect(shapeEvent(event, { maxTextLength: 60 })).toEqual(event)
  })

  it('cuts inside messages, whose arguments stay JSON, and puts a line for data', () => {
    const { message } = shaped('receivedMessage', { maxTextLength: 6 })!
    const call = { name: 'add', arguments: JSON.stringify({ a: CUT }) }
    expect(message).toEqual({
      ...MESSAGE,
      content: [
        { type: 'text', text: CUT },
        { type: 'text', text: expect.stringMatching(/^\[image… \(\d+ characters\)$/u) },
      ],
      function_call: call,
      tool_calls: [{ id: 'c1', type: 'function', function: call }],
      tool_responses: [{ role: 'tool', tool_call_id: 'c0', content: CUT }],
      context: { user: CUT },
      provider_metadata: { thought: CUT },
    })
  })

  it('cuts inside results, data, parameters and errors', () => {
    expect(shaped('toolEnd', { maxTextLength: 6 })).toMatchObject({
      ...{ name: 'add', arguments: { a: CUT }, result: CUT, parts: [{ type: 'text', text: CUT }] },
      ...{ approval: { allow: false, reason: CUT, by: 'human' }, error: { code: 'tool-failed', message: CUT } },
    })
    expect(shaped('custom', { maxTextLength: 6 })!.data).toEqual({ id: CUT })
    expect(shaped('textDelta', { maxTextLength: 6 })!.text).toBe(CUT)
    expect(shaped('modelAttemptStart', { maxTextLength: 6 })!.parameters).toMatchObject({
      ...{ temperature: 1, stop: CUT, metadata: { user: CUT } },
    })
  })

  it('cuts no character in half', () => {
    const event = { ...sample('warning'), text: '12345😀' } as XEvent
    expect(shapeEvent(event, { maxTextLength: 6 })).toMatchObject({ text: '12345… (7 characters)' })
  })

  it('cuts arguments that are no JSON as they are', () => {
    const event = { ...sample('receivedMessage'), message: { function_call: { name: 'add', arguments: CANARY } } }
    expect(shapeEvent(event as XEvent, { maxTextLength: 6 })).toMatchObject({
      message: { function_call: { name: 'add', arguments: CUT } },
    })
  })

  it('survives data without an end and data without a plain form', () => {
    const data: Record<string, unknown> = { at: new Date(0), text: CANARY, twice: [{ text: CANARY }] }
    data['self'] = data
    let deep: unknown = CANARY
    for (let level = 0; level < 100_000; level++) deep = [deep]
    const event = { ...sample('custom'), data: { ...data, deep } } as XEvent
    const short = shapeEvent(event, { maxTextLength: 6 }) as Extract<XEvent, { type: 'custom' }>
    expect(short.data).toMatchObject({ at: new Date(0), text: CUT, twice: [{ text: CUT }], self: { self: null } })
    expect(JSON.stringify(short.data)).not.toContain(CANARY)
  })
})

describe('with a redaction', () => {
  it('asks it about what is left of an event, and cuts what it gives', () => {
    const seen: XEvent[] = []
    const redact = (event: XEvent): XEvent | null => {
      seen.push(event)
      return event.type === 'warning' ? null : ({ ...event, data: 'a long text instead' } as XEvent)
    }
    expect(shapeEvent(sample('warning'), { content: false, redact })).toBeNull()
    expect(shapeEvent(sample('textDelta'), { content: false, redact })).toBeNull()
    expect(shapeEvent(sample('custom'), { maxTextLength: 6, redact })).toMatchObject({
      data: 'a long… (19 characters)',
    })
    expect(seen).toEqual([{ ...sample('warning'), text: '' }, sample('custom')])
  })

  it('lets no error of it pass for an event', () => {
    const redact = (): never => {
      throw new Error('no rule')
    }
    expect(() => shapeEvent(sample('custom'), { redact })).toThrow('no rule')
  })
})
