import type {
  ActionToApprove,
  AnswerDetails,
  ChatMessage,
  CodeBlock,
  ContentPart,
  EventEnvelope,
  EventOptions,
  FunctionCall,
  Reply,
  XEvent,
} from '@x/interfaces'
import { partLine } from './content-parts.ts'

/**
 * Returns an event as the options want it; null if it is not sent. First the content is left out, then `redact` gets the
 * event, then texts are cut: a redaction sees whole texts, since it might not find the half of a secret. The event itself
 * stays as it is: histories share its messages.
 */
export function shapeEvent(event: XEvent, options: EventOptions | undefined): XEvent | null {
  if (!options) return event
  const { content, maxTextLength, redact } = options
  const told = content === false ? withoutContent(event) : event
  const redacted = redact && told ? redact(told) : told
  return redacted && maxTextLength !== undefined ? withShortTexts(redacted, maxTextLength) : redacted
}

/** Pieces of answers and output: nothing is left of them without their content. */
const PIECES: ReadonlySet<string> = new Set<XEvent['type']>([
  'textDelta',
  'reasoningDelta',
  'toolInputDelta',
  'codeOutput',
])

function withoutContent(event: XEvent): XEvent | null {
  const rules = rulesOf(event)
  if (!rules || PIECES.has(event.type)) return null
  const shaped: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(event)) {
    const rule = rules[name]
    if (rule) shaped[name] = value === null ? null : formOf(rule).leaveOut(value)
    else if (isNoText(value) || PLACE_FIELDS.has(name)) shaped[name] = value
  }
  return shaped as unknown as XEvent
}

function withShortTexts(event: XEvent, max: number): XEvent {
  const rules = rulesOf(event)
  const shaped: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(event)) {
    const rule = rules?.[name] ?? 'value'
    shaped[name] = value === null || PLACE_FIELDS.has(name) ? value : formOf(rule).cut(value, max)
  }
  return shaped as unknown as XEvent
}

const isNoText = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean' || value === null

/** Fields of many events that say where, when and about whom an event is. */
type PlaceField = keyof EventEnvelope | 'type' | 'id' | 'outcome' | 'agent' | 'sender' | 'recipient' | 'callId'

const PLACE_FIELDS: ReadonlySet<string> = new Set<PlaceField>([
  ...(['type', 'runId', 'seq', 'time', 'chatId', 'agentPath', 'parentId', 'recalled'] as const),
  ...(['id', 'outcome', 'agent', 'sender', 'recipient', 'callId'] as const),
])

/** The names of fields that want a decision: numbers and flags are never content. */
type DecidedField<E> = {
  [F in keyof E]: F extends PlaceField ? never : NonNullable<E[F]> extends number | boolean ? never : F
}[keyof E]

/** The rules that fit a type of value. */
type RuleFor<V> =
  | 'keep'
  | (NonNullable<V> extends string
      ? 'text'
      : NonNullable<V> extends readonly unknown[]
        ? 'list' | 'parts' | 'messages'
        : Exclude<FormName, 'text' | 'list' | 'parts' | 'messages'>)

type EventRules = {
  readonly [T in XEvent['type']]: {
    readonly [F in DecidedField<Extract<XEvent, { type: T }>>]-?: RuleFor<Extract<XEvent, { type: T }>[F]>
  }
}

const rulesOf = (event: XEvent): Readonly<Record<string, FormName>> | undefined =>
  Object.hasOwn(EVENT_RULES, event.type) ? EVENT_RULES[event.type] : undefined

const SPEAKER_ATTEMPT_RULES = { mentions: 'keep' } as const
const ATTEMPT_RULES = { provider: 'keep', endpoint: 'keep', model: 'keep' } as const
const USAGE_RULES = { actualUsageSummary: 'keep', totalUsageSummary: 'keep', mode: 'keep' } as const

/**
 * For each field with text, of each event: `keep` for names, numbers and words of the framework, else the form of its
 * content. A field without a rule does not compile.
 */
const EVENT_RULES: EventRules = {
  usageSummary: USAGE_RULES,
  conversableAgentUsageSummary: {},
  conversableAgentUsageSummaryNoCostIncurred: {},
  clearConversableAgentHistory: {},
  clearConversableAgentHistoryWarning: {},
  terminationAndHumanReply: { noHumanInputMsg: 'text' },
  usingAutoReply: { humanInputMode: 'keep' },
  executeCodeBlock: { code: 'text', language: 'text' },
  executeFunction: { funcName: 'keep', arguments: 'value' },
  executedFunction: { funcName: 'keep', arguments: 'value', content: 'text' },
  groupChatRunChat: { speaker: 'keep', reason: 'keep' },
  groupChatResume: { lastSpeaker: 'keep', messages: 'messages' },
  clearAgentsHistory: {},
  selectSpeaker: { agents: 'keep' },
  selectSpeakerInvalidInput: { agents: 'keep' },
  selectSpeakerTryCountExceeded: { agents: 'keep' },
  speakerAttemptSuccessful: SPEAKER_ATTEMPT_RULES,
  speakerAttemptFailedMultipleAgents: SPEAKER_ATTEMPT_RULES,
  speakerAttemptFailedNoAgents: SPEAKER_ATTEMPT_RULES,
  receivedMessage: { message: 'message' },
  answerBegin: { responseId: 'keep', model: 'keep' },
  textDelta: { text: 'text' },
  reasoningDelta: { text: 'text' },
  textWasReasoning: {},
  toolInputDelta: { name: 'keep', text: 'text' },
  toolProgress: { source: 'keep', name: 'keep', message: 'text' },
  codeOutput: { stream: 'keep', text: 'text' },
  approvalRequested: { action: 'action' },
  handoff: { to: 'keep', target: 'keep', by: 'keep' },
  safeguard: { source: 'keep', target: 'keep', action: 'keep', check: 'keep' },
  steeringMessage: { text: 'text' },
  historyCut: { reason: 'keep' },
  searchNode: { node: 'keep', parent: 'keep', content: 'text' },
  searchGrade: { node: 'keep', details: 'text' },
  searchFate: { node: 'keep', fate: 'keep' },
  searchBest: { node: 'keep', text: 'text' },
  waitingToRetry: { kind: 'keep', reason: 'text' },
  warning: { text: 'text', topic: 'keep' },
  custom: { name: 'keep', data: 'value' },
  chatStart: { message: 'message', options: 'keep' },
  chatEnd: {
    ...{ terminationReason: 'keep', cost: 'keep', error: 'error' },
    ...{ summary: 'summary', result: 'value', group: 'value', humanInput: 'list', messages: 'messages' },
  },
  replyStart: {},
  replyEnd: { reply: 'message', error: 'error' },
  modelCallStart: {},
  modelCallEnd: {
    ...{ message: 'message', details: 'details', error: 'error' },
    ...{ model: 'keep', finishReason: 'keep', usage: 'keep' },
  },
  modelAttemptStart: { ...ATTEMPT_RULES, digest: 'keep', parameters: 'numbers' },
  modelAttemptEnd: {
    ...ATTEMPT_RULES,
    ...{ kind: 'keep', responseId: 'keep', responseModel: 'keep', finishReason: 'keep', usage: 'keep', error: 'error' },
  },
  toolStart: { name: 'keep', arguments: 'value' },
  toolEnd: {
    ...{ name: 'keep', arguments: 'value', result: 'text' },
    ...{ parts: 'parts', approval: 'approval', error: 'error' },
  },
  codeStart: { blocks: 'list' },
  codeEnd: { output: 'text', artifacts: 'list', error: 'error' },
  humanInputStart: { prompt: 'text' },
  humanInputEnd: { answer: 'text', error: 'error' },
  searchStart: { question: 'text' },
  searchEnd: { status: 'keep', answer: 'text', used: 'keep', error: 'error' },
  searchJobStart: { job: 'keep', kind: 'keep' },
  searchJobEnd: { job: 'keep', kind: 'keep', nodes: 'keep', used: 'keep', failure: 'text', error: 'error' },
}

/** How the content of a form is left out, and how its texts are cut. */
interface ContentForm<T> {
  leaveOut(value: T): T | null
  cut(value: T, max: number): T
}

const FORMS = {
  keep: { leaveOut: (value) => value, cut: (value) => value },
  text: { leaveOut: () => '', cut: cutText },
  value: { leaveOut: () => null, cut: (value, max) => cutValue(value, max) },
  list: { leaveOut: () => [], cut: (list, max) => list.map((each) => cutValue(each, max, KIND_KEYS)) },
  details: { leaveOut: () => null, cut: (details, max) => cutValue(details, max, KIND_KEYS) as AnswerDetails },
  numbers: {
    leaveOut: (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => isNoText(value))),
    cut: (values, max) => cutValue(values, max) as Values,
  },
  summary: {
    leaveOut: (summary) => (typeof summary === 'string' ? '' : {}),
    cut: (summary, max) => cutValue(summary, max) as string | Values,
  },
  message: { leaveOut: bareMessage, cut: shortMessage },
  messages: {
    leaveOut: (messages) => messages.map((message) => bareMessage(message) as ChatMessage),
    cut: (messages, max) => messages.map((message) => shortMessage(message, max) as ChatMessage),
  },
  parts: { leaveOut: () => [], cut: shortParts },
  action: {
    leaveOut: (action) => shapedAction(action, { text: () => '', list: () => [], values: () => ({}) }),
    cut: (action, max) =>
      shapedAction(action, {
        text: (text) => cutText(text, max),
        list: (blocks) => cutValue(blocks, max) as readonly CodeBlock[],
        values: (values) => cutValue(values, max) as Values,
      }),
  },
  approval: {
    leaveOut: (approval) => ({ ...approval, reason: approval.reason === null ? null : '' }),
    cut: (approval, max) => ({
      ...approval,
      reason: approval.reason === null ? null : cutText(approval.reason, max),
    }),
  },
  error: {
    leaveOut: (error) => ({ ...error, message: '' }),
    cut: (error, max) => ({ ...error, message: cutText(error.message, max) }),
  },
} satisfies ContentForms

const formOf = (name: FormName): ContentForm<unknown> => FORMS[name]

type FormName = keyof ContentForms

type Values = Readonly<Record<string, unknown>>

interface ContentForms {
  readonly keep: ContentForm<unknown>
  readonly text: ContentForm<string>
  readonly value: ContentForm<unknown>
  readonly list: ContentForm<readonly unknown[]>
  readonly details: ContentForm<AnswerDetails>
  readonly numbers: ContentForm<Values>
  readonly summary: ContentForm<string | Values>
  readonly message: ContentForm<Reply>
  readonly messages: ContentForm<readonly ChatMessage[]>
  readonly parts: ContentForm<readonly ContentPart[]>
  readonly action: ContentForm<ActionToApprove>
  readonly approval: ContentForm<ToolApproval>
  readonly error: ContentForm<{ readonly code: string | null; readonly message: string }>
}

type ToolApproval = NonNullable<Extract<XEvent, { type: 'toolEnd' }>['approval']>

/** Changes the content of a pending action. */
function shapedAction(
  action: ActionToApprove,
  change: {
    readonly text: (text: string) => string
    readonly list: (blocks: readonly CodeBlock[]) => readonly CodeBlock[]
    readonly values: (values: Values) => Values
  },
): ActionToApprove {
  if (action.type === 'code') return { ...action, blocks: change.list(action.blocks) }
  if (action.type === 'question') return { ...action, prompt: change.text(action.prompt) }
  const { note } = action
  return {
    ...action,
    arguments: change.values(action.arguments),
    ...(note !== undefined && { note: change.text(note) }),
  }
}

/** Texts under these keys are words of the framework. */
const KIND_KEYS: ReadonlySet<string> = new Set(['type', 'kind'])

/** A message without its content: its role, and the names and ids of what it calls or answers. */
function bareMessage(reply: Reply): Reply {
  if (typeof reply === 'string') return ''
  const { function_call: call, tool_calls: calls, tool_responses: responses } = reply
  return {
    ...picked(reply, ['content', 'role', 'name', 'id', 'tool_call_id']),
    ...(reply.content !== undefined && { content: bareContent(reply.content) }),
    ...(call && { function_call: bareCall(call) }),
    ...(calls && {
      tool_calls: calls.map((each) => ({ ...picked(each, ['id', 'type']), function: bareCall(each.function) })),
    }),
    ...(responses && {
      tool_responses: responses.map((each) => ({
        ...picked(each, ['role', 'tool_call_id', 'name']),
        role: each.role,
        content: bareContent(each.content) as string,
      })),
    }),
  }
}

const picked = <T extends object, K extends keyof T>(value: T, keys: readonly K[]): Partial<Pick<T, K>> => {
  const result: Partial<Pick<T, K>> = {}
  for (const key of keys) if (key in value) result[key] = value[key]
  return result
}

function bareContent(content: ChatMessage['content']): ChatMessage['content'] {
  if (content === null) return null
  return Array.isArray(content) ? [] : ''
}

/** The arguments stay JSON text of an object, for readers that parse them. */
const bareCall = (call: FunctionCall): FunctionCall => ({ name: call?.name, arguments: '{}' })

function shortMessage(reply: Reply, max: number): Reply {
  if (typeof reply === 'string') return cutText(reply, max)
  const { content, function_call: call, tool_calls: calls, tool_responses: responses, ...rest } = reply
  const { context, provider_metadata: metadata } = rest
  return {
    ...rest,
    ...(content !== undefined && { content: shortContent(content, max) }),
    ...(call && { function_call: shortCall(call, max) }),
    ...(calls && { tool_calls: calls.map((each) => ({ ...each, function: shortCall(each.function, max) })) }),
    ...(responses && {
      tool_responses: responses.map((each) => ({ ...each, content: shortContent(each.content, max) as string })),
    }),
    ...(context && { context: cutValue(context, max) as Record<string, unknown> }),
    ...(metadata && { provider_metadata: cutValue(metadata, max) as Record<string, unknown> }),
  }
}

function shortContent(content: ChatMessage['content'], max: number): ChatMessage['content'] {
  if (typeof content === 'string') return cutText(content, max)
  return Array.isArray(content) ? [...shortParts(content, max)] : content
}

/** Cuts texts. A line of text stands for an image, a sound or a file that is too long: a part of its data is of no use. */
function shortParts(parts: readonly ContentPart[], max: number): readonly ContentPart[] {
  return parts.map((part) => {
    if (part.type === 'text') return { ...part, text: cutText(part.text, max) }
    return hasLongText(part, max) ? { type: 'text', text: cutText(partLine(part), max) } : part
  })
}

const hasLongText = (value: unknown, max: number): boolean =>
  typeof value === 'string'
    ? value.length > max
    : typeof value === 'object' && value !== null && Object.values(value).some((each) => hasLongText(each, max))

/** Cuts the texts inside the arguments, which stay JSON; arguments of a model that are no JSON are cut as they are. */
function shortCall({ name, arguments: text }: FunctionCall, max: number): FunctionCall {
  if (typeof text !== 'string' || text.length <= max) return { name, arguments: text }
  try {
    return { name, arguments: JSON.stringify(cutValue(JSON.parse(text), max)) }
  } catch {
    return { name, arguments: cutText(text, max) }
  }
}

/** Most levels of a value whose texts are cut; what lies deeper is left out. */
const MAX_VALUE_DEPTH = 100

/** Cuts the texts in plain data, except under the `kept` keys; `path` has the values around it. */
function cutValue(value: unknown, max: number, kept?: ReadonlySet<string>, path: readonly unknown[] = []): unknown {
  if (typeof value === 'string') return cutText(value, max)
  if (typeof value !== 'object' || value === null) return value
  if (path.length === MAX_VALUE_DEPTH || path.includes(value)) return null
  const inner = [...path, value]
  if (Array.isArray(value)) return value.map((each) => cutValue(each, max, kept, inner))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, each]) => [key, kept?.has(key) ? each : cutValue(each, max, kept, inner)]),
  )
}

/** Returns a text of at most `max` characters, and a mark with the length of the whole text if it was longer. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const isHalf = /[\uD800-\uDBFF]/u.test(text.charAt(max - 1))
  return `${text.slice(0, isHalf ? max - 1 : max)}… (${text.length} characters)`
}
