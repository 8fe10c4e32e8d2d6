import type { EventOptions, HostBackend, HostedChat, JournalKind, RunTracer, Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import type { Webhook } from './webhook.ts'
import type { DefinedChat, PerformOptions, ReceiveOptions, SubmitOptions } from './defined-chat.ts'

/** Options of {@link createHost}. */
export interface HostOptions {
  /** Programs whose chats this process may run, in every version that it has. */
  readonly chats: readonly DefinedChat[]
  /** Backend that stores the chats, such as `sqlite('./chats.db')`. */
  readonly at: HostBackend
  /** Seconds after which an ended chat is deleted, with its journal and events; default, and `Infinity`: never. */
  readonly retention?: number | undefined
  /** Content of the events of the chats; default: everything. Answers in the journals are kept whole. */
  readonly events?: Omit<EventOptions, 'recalled'> | undefined
  /**
   * Follows chats as traces, such as `traceRuns()`: `submit` keeps the active trace context with the chat, and a worker goes on
   * with it. Default: none.
   */
  readonly tracer?: RunTracer | undefined
  /** Addresses that are told of ends and questions of chats, by their names; the same in all processes. Default: none. */
  readonly webhooks?: Readonly<Record<string, Webhook>> | undefined
}

/** Changes of a fork. */
export interface ForkOptions {
  /** Identifier of the new chat; forking to it again gives the same chat. 1 to 200 characters; default: a random one. */
  readonly id?: string | undefined
  /** The program, such as a repaired version; default: that of the forked chat. */
  readonly chat?: DefinedChat | undefined
  /** Input of the new chat, as plain JSON; default: that of the forked chat. */
  readonly input?: unknown
}

/** Options of `work`. */
export interface WorkOptions {
  /** Most chats at once; default 10. */
  readonly concurrency?: number | undefined
  /** Seconds without a sign of life after which another worker takes over, from 0.01 to 86,400; default 30. */
  readonly lease?: number | undefined
  /** Ends the work. `SIGTERM` does, too. */
  readonly signal?: AbortSignal | undefined
  /** Receives errors that end no chat, such as those of a store that does not answer; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Options of `list`. */
export interface ListOptions {
  readonly state?: HostedChat['state'] | undefined
  /** Chats of one program, in one version. */
  readonly chat?: DefinedChat | undefined
  readonly tenant?: string | undefined
  /** Chats that have this tag. */
  readonly tag?: string | undefined
  /** Chats submitted at this time or later: a date, or milliseconds since 1970. */
  readonly since?: Date | number | undefined
  /** Chats submitted before this time: a date, or milliseconds since 1970. */
  readonly until?: Date | number | undefined
  /**
   * Order by the time of submission. Default: `newest` if `tenant`, `tag`, `since` or `until` is given; else chats come in the
   * order of their identifiers, parts of others among them.
   */
  readonly order?: 'newest' | 'oldest' | undefined
  /** Begins behind this chat: the last one of a page. */
  readonly after?: Pick<HostedChat, 'id' | 'submittedAt'> | undefined
  /** Most chats to list; default: all. */
  readonly limit?: number | undefined
}

/** A filter of failed chats: those that fit in every given respect. Default: all chats that have ended as `failed`. */
export interface FailureOptions {
  /** `waiting-to-retry` for chats that run again by themselves; default `failed`. */
  readonly state?: 'failed' | 'waiting-to-retry' | undefined
  /** Chats of one program, in one version. */
  readonly chat?: DefinedChat | undefined
  /** Kind of the error, such as `quota`; null for errors without a kind. */
  readonly kind?: string | null | undefined
  /** Code of the error, such as `model-failed`; null for errors without a code. */
  readonly code?: string | null | undefined
  /** Whole text of the error. */
  readonly message?: string | undefined
}

/** The first step of a chat that its journal does not have. */
export interface NextStep {
  /** Kind of the call; `question` for a decision, `message` for a message to the chat, `timer` for a time, `part` for a part of it. */
  readonly kind: JournalKind | 'message' | 'part'
  /** Name of the tool, or of the program of a part; null for others. */
  readonly name: string | null
  /** Place in the run; null for a message or part outside of it. */
  readonly place: string | null
  /** Description for people, such as `the model of clerk`. */
  readonly label: string
}

/** Options of `check`. */
export interface CheckOptions {
  /**
   * Begins at the beginning of each chat, and compares the state at each of its checkpoints. Default false: at the last checkpoint,
   * as a worker does.
   */
  readonly whole?: boolean | undefined
  /** Ends the check. */
  readonly signal?: AbortSignal | undefined
  /** Seconds for which the program may run in one chat without a call of an agent; such a chat is skipped. Default 10. */
  readonly timeout?: number | undefined
}

/** Options of `events`. */
export interface EventsOptions {
  /** Cursor of the last event that was read; default: events from the first. */
  readonly after?: string | null | undefined
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined
}

/** Options of `limiter`. */
export interface HostLimiterOptions {
  /** Seconds without a sign of life after which the calls in flight of a worker no longer count; default 30. */
  readonly lease?: number | undefined
  /** Seconds that the store may take to answer before it counts as down; default 2. */
  readonly storeTimeout?: number | undefined
  /**
   * Behaviour while the store does not answer: every worker keeps the limits for itself (`alone`, the default), or its
   * calls fail with `connection-failed` (`refuse`).
   */
  readonly whenDown?: 'alone' | 'refuse' | undefined
  /** Receives the error of a store that does not answer, once until it answers again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Period of a budget: calendar units in UTC, or a number of seconds counted from 1970. */
export type BudgetPeriod = 'hour' | 'day' | 'month' | number

/** Options of `budget`: limits in US dollars (`cost`), `tokens` or `calls`, at least one of them. */
export interface HostBudgetOptions {
  /** Most US dollars; default: no limit. */
  readonly cost?: number | undefined
  /** Most input and output tokens together; default: no limit. */
  readonly tokens?: number | undefined
  /** Most requests to a model; default: no limit. */
  readonly calls?: number | undefined
  /** Period after which the budget starts again: an hour, day or month in UTC by the clock of the store, or a number of seconds counted from 1970. Default: never. */
  readonly per?: BudgetPeriod | undefined
  /** Amounts that are reserved for one call; default: an estimate from its text, its limits and earlier answers of its model. */
  readonly perCall?: Partial<Spending> | undefined
  /** A call for which calls in flight leave no room waits for them, or is refused. Default `wait`. */
  readonly whenFull?: 'wait' | 'refuse' | undefined
  /** Never exceeds the limit: reserves the most that a call can use, or sets `max_tokens` of the request to what is left. Default false. */
  readonly strict?: boolean | undefined
  /** Least `max_tokens` that a strict budget sets; a call for which less is left is refused. Default 1,024. */
  readonly minTokens?: number | undefined
  /** Seconds without a sign of life after which the reservations of a worker count as used; default 30. */
  readonly lease?: number | undefined
  /** Receives the error of a store that does not answer, once until it answers again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** The last time that a `Date` can hold, in milliseconds since 1970. */
const MAX_DATE_MS = 8.64e15

const START_TIME_KIND: OptionKinds<SubmitOptions>['at'] = {
  expected: 'a date, or milliseconds since 1970',
  takes: (value) => (typeof value === 'number' || value instanceof Date) && Math.abs(Number(value)) <= MAX_DATE_MS,
}
const TRACE_CONTEXT_KIND: OptionKinds<SubmitOptions>['trace'] = {
  expected: 'a trace context: an object with the text `traceparent`, and perhaps `tracestate`',
  takes: (trace) =>
    typeof trace?.traceparent === 'string' && (trace.tracestate === undefined || typeof trace.tracestate === 'string'),
}
const DEFINED_CHAT_KIND = kind.having('a chat made by `defineChat`', 'run', 'check')

/** True if a value is what `defineChat` returns. */
export const isDefinedChat = (value: unknown): boolean => DEFINED_CHAT_KIND.takes(value as object)

/** Timers count no more than some weeks, and shorter intervals keep a process busy. */
const LEASE_KIND: OptionKinds<{ readonly lease: number }>['lease'] = {
  expected: 'a number of seconds from 0.01 to 86,400, which is a day',
  takes: (value) => typeof value === 'number' && value >= 0.01 && value <= 86_400,
}
const PERIOD_SECONDS_KIND: OptionKinds<{ readonly seconds: number }>['seconds'] = {
  expected: 'a finite number of seconds above 0',
  takes: (value) => Number.isFinite(value) && value > 0,
}
const COST_KIND: OptionKinds<Spending>['cost'] = {
  expected: 'US dollars of at least 0 and at most 9,000,000',
  takes: (value) => typeof value === 'number' && value >= 0 && value <= 9_000_000,
}

/** Most tags of a chat, and most characters of one. */
const MAX_TAGS = 20
const MAX_TAG_LENGTH = 100
/** Bounds of a text that every store can keep as a key. */
const NO_KEY = 'without NUL and lone surrogates'
const NAME = `a text of 1 to 200 characters, ${NO_KEY}`

const TAGS_KIND: OptionKinds<SubmitOptions>['tags'] = {
  expected: `a list of at most ${MAX_TAGS} texts, each of 1 to ${MAX_TAG_LENGTH} characters, ${NO_KEY}`,
  takes: (tags) =>
    Array.isArray(tags) && tags.length <= MAX_TAGS && tags.every((tag) => isName(tag) && tag.length <= MAX_TAG_LENGTH),
}
const NAME_KIND: OptionKinds<SubmitOptions>['tenant'] = { expected: NAME, takes: isName }

const LISTED_CHAT_KIND: OptionKinds<ListOptions>['after'] = {
  expected: 'a chat that was listed',
  takes: (chat) => isKey(chat?.id) && Number.isSafeInteger(chat.submittedAt),
}

/** Kinds of the options of every operation of a host. */
export const HOST_OPTION_KINDS: {
  readonly host: OptionKinds<HostOptions>
  readonly hostEvents: OptionKinds<NonNullable<HostOptions['events']>>
  readonly submit: OptionKinds<SubmitOptions>
  readonly work: OptionKinds<WorkOptions>
  readonly list: OptionKinds<ListOptions>
  readonly failures: OptionKinds<FailureOptions>
  readonly fork: OptionKinds<ForkOptions>
  readonly check: OptionKinds<CheckOptions>
  readonly events: OptionKinds<EventsOptions>
  readonly send: OptionKinds<{ readonly id?: string | undefined }>
  readonly steer: OptionKinds<{ readonly text: string }>
  readonly result: OptionKinds<{ readonly signal?: AbortSignal | undefined }>
  readonly pending: OptionKinds<Record<'chat' | 'agent' | 'tenant', string>>
  readonly decide: OptionKinds<{ readonly by?: string | undefined }>
  readonly cancel: OptionKinds<{ readonly reason: string }>
  readonly perform: OptionKinds<PerformOptions>
  readonly receive: OptionKinds<ReceiveOptions>
  readonly limiter: OptionKinds<HostLimiterOptions>
  readonly budget: OptionKinds<HostBudgetOptions>
  readonly perCall: OptionKinds<Spending>
} = {
  host: {
    chats: kind.list,
    at: kind.having('a backend, such as `sqlite(path)`', 'watch', 'close'),
    retention: kind.number(0),
    events: kind.object,
    tracer: runOptionKinds.tracer,
    webhooks: kind.object,
  },
  hostEvents: { content: kind.flag, redact: kind.call, maxTextLength: kind.whole(0) },
  submit: {
    id: kind.text,
    at: START_TIME_KIND,
    trace: TRACE_CONTEXT_KIND,
    tags: TAGS_KIND,
    tenant: NAME_KIND,
    priority: kind.oneOf('high', 'normal', 'low'),
  },
  work: { concurrency: kind.whole(1), lease: LEASE_KIND, signal: runOptionKinds.signal, onError: kind.call },
  list: {
    state: kind.oneOf('waiting', 'waiting-to-retry', 'running', 'suspended', 'done', 'failed', 'cancelled'),
    chat: DEFINED_CHAT_KIND,
    tenant: NAME_KIND,
    tag: NAME_KIND,
    since: START_TIME_KIND,
    until: START_TIME_KIND,
    limit: kind.whole(1),
    order: kind.oneOf('newest', 'oldest'),
    after: LISTED_CHAT_KIND,
  },
  fork: { id: kind.text, chat: DEFINED_CHAT_KIND, input: kind.any },
  failures: {
    state: kind.oneOf('failed', 'waiting-to-retry'),
    chat: DEFINED_CHAT_KIND,
    kind: kind.orNull(kind.text),
    code: kind.orNull(kind.text),
    message: kind.text,
  },
  check: { whole: kind.flag, signal: runOptionKinds.signal, timeout: LEASE_KIND },
  events: { after: kind.orNull(kind.text), signal: runOptionKinds.signal },
  send: { id: kind.text },
  steer: {
    text: { expected: 'a text that is not empty', takes: (value) => typeof value === 'string' && value.trim() !== '' },
  },
  result: { signal: runOptionKinds.signal },
  pending: {
    chat: { expected: 'the identifier of a chat', takes: (id) => isKey(id) },
    agent: kind.text,
    tenant: NAME_KIND,
  },
  decide: { by: kind.text },
  cancel: { reason: kind.text },
  // Its values are checked where the time is computed.
  receive: { timeout: kind.any },
  perform: { key: kind.text, signal: runOptionKinds.signal },
  limiter: {
    lease: LEASE_KIND,
    storeTimeout: LEASE_KIND,
    whenDown: kind.oneOf('alone', 'refuse'),
    onError: kind.call,
  },
  budget: {
    cost: COST_KIND,
    tokens: kind.whole(0),
    calls: kind.whole(0),
    per: {
      ...kind.either(kind.oneOf('hour', 'day', 'month'), PERIOD_SECONDS_KIND),
      expected: "'hour', 'day', 'month' or a number of seconds",
    },
    perCall: kind.object,
    whenFull: kind.oneOf('wait', 'refuse'),
    strict: kind.flag,
    minTokens: kind.whole(1),
    lease: LEASE_KIND,
    onError: kind.call,
  },
  perCall: { cost: COST_KIND, tokens: kind.whole(0), calls: kind.whole(1) },
}

/** Refuses unknown, wrong and missing options of a host. */
export function checkHost(options: HostOptions): void {
  checkOptions((options as object | undefined) ?? null, HOST_OPTION_KINDS.host, 'create a host')
  checkOptions(options.events, HOST_OPTION_KINDS.hostEvents, 'choose the `events` of a host')
  for (const key of ['chats', 'at'] as const) {
    if (options[key]) continue
    const { expected } = HOST_OPTION_KINDS.host[key]
    throw new XError('invalid-argument', `cannot create a host: it has no \`${key}\`; give ${expected}`)
  }
  const seen = new Set<string>()
  for (const chat of options.chats) {
    if (!isDefinedChat(chat)) {
      throw new XError(
        'invalid-argument',
        `cannot create a host: \`chats\` holds something else than ${DEFINED_CHAT_KIND.expected}`,
      )
    }
    const name = `${chat.name}@${chat.version}`
    if (seen.has(name)) throw new XError('invalid-argument', `cannot create a host: two \`chats\` are \`${name}\``)
    seen.add(name)
  }
}

/** Refuses anything else than a program. */
export function checkProgram(program: unknown): void {
  if (DEFINED_CHAT_KIND.takes(program as DefinedChat)) return
  throw new XError('invalid-argument', `cannot run \`check\`: \`program\` is not ${DEFINED_CHAT_KIND.expected}`)
}

/** Refuses a new identifier that a store could not keep; the error says what was attempted. */
export function checkId(id: unknown, attempt: string): string {
  if (isName(id)) return id
  throw new XError('invalid-argument', `cannot ${attempt}: \`id\` has to be ${NAME}`)
}

/** Refuses what no chat has as its identifier, which may be longer than a new one: a part has that of its chat and more. */
export function checkKnownId(id: unknown, attempt: string): string {
  if (isKey(id)) return id
  throw new XError(
    'invalid-argument',
    `cannot ${attempt}: \`id\` has to be the identifier of a chat, which is a text ${NO_KEY}`,
  )
}

/** Refuses wrong options of a limiter. */
export const checkLimiterOptions = (options: HostLimiterOptions): void =>
  checkOptions(options, HOST_OPTION_KINDS.limiter, 'make a limiter of a host')

/** Refuses a wrong name or wrong options of a budget. */
export function checkBudget(name: unknown, options: HostBudgetOptions): void {
  const attempt = 'make a budget of a host'
  checkOptions((options as object | undefined) ?? null, HOST_OPTION_KINDS.budget, attempt)
  const { cost, tokens, calls, perCall, strict } = options
  checkOptions(perCall, HOST_OPTION_KINDS.perCall, 'reserve the `perCall` of a budget')
  const problem =
    (!isName(name) && `its name has to be ${NAME}`) ||
    (cost === undefined &&
      tokens === undefined &&
      calls === undefined &&
      'it has no limit; give `cost` (US dollars), `tokens` or `calls`') ||
    (strict && perCall && '`perCall` is an estimate, and `strict: true` makes none; leave one of them out')
  if (problem) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
}

/** True for a key of at most 200 characters. */
export function isName(value: unknown): value is string {
  return isKey(value) && value.length <= 200
}

/** True for a text that every store can keep as a key. */
const isKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.isWellFormed() && !value.includes('\0')
