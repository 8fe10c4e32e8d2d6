import type {
  ActionToApprove,
  AnswerDetails,
  ChatMessage,
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
    if (rule) shaped[name] = value === null ? null : formOf(rule)(value, LEFT_OUT)
    else if (isNoText(value) || PLACE_FIELDS.has(name)) shaped[name] = value
  }
  return shaped as unknown as XEvent
}

function withShortTexts(event: XEvent, max: number): XEvent {
  const rules = rulesOf(event)
  const cut = cutTo(max)
  const shaped: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(event)) {
    const rule = rules?.[name] ?? 'value'
    shaped[name] = value === null || PLACE_FIELDS.has(name) ? value : formOf(rule)(value, cut)
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
    terminationReason: 'keep',
    cost: 'keep',
    error: 'error',
    summary: 'summary',
    result: 'value',
    group: 'value',
    humanInput: 'list',
    messages: 'messages',
  },
  replyStart: {},
  replyEnd: { reply: 'message', error: 'error' },
  modelCallStart: {},
  modelCallEnd: {
    message: 'message',
    details: 'details',
    error: 'error',
    model: 'keep',
    finishReason: 'keep',
    usage: 'keep',
  },
  modelAttemptStart: { ...ATTEMPT_RULES, digest: 'keep', parameters: 'numbers' },
  modelAttemptEnd: {
    ...ATTEMPT_RULES,
    kind: 'keep',
    responseId: 'keep',
    responseModel: 'keep',
    finishReason: 'keep',
    usage: 'keep',
    error: 'error',
  },
  toolStart: { name: 'keep', arguments: 'value' },
  toolEnd: {
    name: 'keep',
    arguments: 'value',
    result: 'text',
    parts: 'parts',
    approval: 'approval',
    error: 'error',
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

type Values = Readonly<Record<string, unknown>>

/** A change of the content of an event, by the kinds of its parts. */
interface Change {
  text(text: string): string
  /** Changes plain data. */
  value(value: unknown): unknown
  /** Changes an object of plain data. */
  values(values: Values): Values
  /** Changes an object whose numbers and flags are no content. */
  numbers(values: Values): Values
  /** Changes a list of objects that the framework makes, and details of an answer. */
  list<T>(list: readonly T[]): readonly T[]
  details(details: AnswerDetails): AnswerDetails | null
  parts(parts: readonly ContentPart[]): readonly ContentPart[]
  content(content: ChatMessage['content']): ChatMessage['content']
  call(call: FunctionCall): FunctionCall
  /** Returns the fields of a message, a call or a result beside its content; those that only say where it belongs have `names`. */
  facts<T extends object>(fields: T, names: readonly (keyof T)[]): Partial<T>
}

/** Leaves content out. */
const LEFT_OUT: Change = {
  text: () => '',
  value: () => null,
  values: () => ({}),
  numbers: (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => isNoText(value))),
  list: () => [],
  details: () => null,
  parts: () => [],
  content: (content) => (content === null ? null : Array.isArray(content) ? [] : ''),
  // The arguments stay JSON text of an object, for readers that parse them.
  call: (call) => ({ name: call?.name, arguments: '{}' }),
  facts(fields, names) {
    const facts: Partial<typeof fields> = {}
    for (const name of names) if (name in fields) facts[name] = fields[name]
    return facts
  },
}

/** Cuts texts that are longer than `max` characters. */
function cutTo(max: number): Change {
  const text = (whole: string): string => cutText(whole, max)
  const value = <T>(whole: T): T => cutValue(whole, max) as T
  const coded = <T>(whole: T): T => cutValue(whole, max, KIND_KEYS) as T
  // A line of text stands for an image, a sound or a file that is too long: a part of its data is of no use.
  const part = (whole: ContentPart): ContentPart => {
    if (whole.type === 'text') return { ...whole, text: text(whole.text) }
    return hasLongText(whole, max) ? { type: 'text', text: text(partLine(whole)) } : whole
  }
  return {
    text,
    value,
    values: value,
    numbers: value,
    details: coded,
    list: (list) => list.map(coded),
    parts: (parts) => parts.map(part),
    content: (content) =>
      typeof content === 'string' ? text(content) : Array.isArray(content) ? content.map(part) : content,
    call: (call) => ({ name: call.name, arguments: shortArguments(call.arguments, max) }),
    facts(fields) {
      const { context, provider_metadata: metadata }: Pick<ChatMessage, 'context' | 'provider_metadata'> = fields
      return {
        ...fields,
        ...(context && { context: value(context) }),
        ...(metadata && { provider_metadata: value(metadata) }),
      }
    },
  }
}

/** Changes the content of a form. */
type ContentForm<T> = (value: T, change: Change) => T | null

const FORMS = {
  keep: (value) => value,
  text: (text, change) => change.text(text),
  value: (value, change) => change.value(value),
  list: (list, change) => change.list(list),
  details: (details, change) => change.details(details),
  numbers: (values, change) => change.numbers(values),
  summary: (summary, change) => (typeof summary === 'string' ? change.text(summary) : change.values(summary)),
  message: shapedMessage,
  messages: (messages, change) => messages.map((message) => shapedMessage(message, change) as ChatMessage),
  parts: (parts, change) => change.parts(parts),
  action: shapedAction,
  approval: (approval, change) => ({
    ...approval,
    reason: approval.reason === null ? null : change.text(approval.reason),
  }),
  error: (error, change) => ({ ...error, message: change.text(error.message) }),
} satisfies ContentForms

const formOf = (name: FormName): ContentForm<unknown> => FORMS[name] as ContentForm<unknown>

type FormName = keyof ContentForms

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
function shapedAction(action: ActionToApprove, change: Change): ActionToApprove {
  if (action.type === 'code') return { ...action, blocks: change.list(action.blocks) }
  if (action.type === 'question') return { ...action, prompt: change.text(action.prompt) }
  const { note } = action
  return {
    ...action,
    arguments: change.values(action.arguments),
    ...(note !== undefined && { note: change.text(note) }),
  }
}

/** Changes the content of a message; its role, and the names and ids of what it calls or answers, are none. */
function shapedMessage(reply: Reply, change: Change): Reply {
  if (typeof reply === 'string') return change.text(reply)
  const { content, function_call: call, tool_calls: calls, tool_responses: responses, ...rest } = reply
  return {
    ...change.facts(rest, ['role', 'name', 'id', 'tool_call_id']),
    ...(content !== undefined && { content: change.content(content) }),
    ...(call && { function_call: change.call(call) }),
    ...(calls && {
      tool_calls: calls.map((each) => ({
        ...change.facts(each, ['id', 'type']),
        function: change.call(each.function),
      })),
    }),
    ...(responses && {
      tool_responses: responses.map((each) => ({
        ...change.facts(each, ['role', 'tool_call_id', 'name']),
        role: each.role,
        content: change.content(each.content) as string,
      })),
    }),
  }
}

/** Texts under these keys are words of the framework. */
const KIND_KEYS: ReadonlySet<string> = new Set(['type', 'kind'])

const hasLongText = (value: unknown, max: number): boolean =>
  typeof value === 'string'
    ? value.length > max
    : typeof value === 'object' && value !== null && Object.values(value).some((each) => hasLongText(each, max))

/** Cuts the texts inside arguments, which stay JSON; arguments of a model that are no JSON are cut as they are. */
function shortArguments(text: string, max: number): string {
  if (typeof text !== 'string' || text.length <= max) return text
  try {
    return JSON.stringify(cutValue(JSON.parse(text), max))
  } catch {
    return cutText(text, max)
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
