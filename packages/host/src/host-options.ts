import type { HostBackend, HostedChatState } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import type { DefinedChat, PerformOptions } from './define-chat.ts'
import { LEASE_SECONDS } from './seconds.ts'

/** Options of {@link createHost}. */
export interface HostOptions {
  /** Programs whose chats this process may run, in every version that it has. */
  readonly chats: readonly DefinedChat[]
  /** Where the chats are, such as `sqlite('./chats.db')`. */
  readonly at: HostBackend
  /** Seconds after which a chat that has ended is forgotten, with its journal and events; default, and `Infinity`: never. */
  readonly retention?: number | undefined
}

/** Options of `submit`. */
export interface SubmitOptions {
  /** Names the chat: the same is submitted once, however often. 1 to 200 characters; default: a random one. */
  readonly id?: string | undefined
  /** When the chat may run at the earliest: a date, or milliseconds since 1970. Default: at once. */
  readonly at?: Date | number | undefined
}

/** Options of `work`. */
export interface WorkOptions {
  /** Most chats at once; default 10. */
  readonly concurrency?: number | undefined
  /** Seconds without a sign of life after which another worker takes over, from 0.01 to 86,400; default 30. */
  readonly lease?: number | undefined
  /** Ends the work. `SIGTERM` does, too. */
  readonly signal?: AbortSignal | undefined
  /** Hears of errors that end no chat, such as a store that does not answer; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Options of `list`. */
export interface ListOptions {
  readonly state?: HostedChatState | undefined
  /** Chats of one program, in one version. */
  readonly chat?: DefinedChat | undefined
}

/** Options of `events`. */
export interface EventsOptions {
  /** Cursor of the last event that was read; default: events from the first. */
  readonly after?: string | null | undefined
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined
}

/** The last moment that a date can be, in milliseconds since 1970. */
const LAST = 8.64e15
const TIME: OptionKinds<SubmitOptions>['at'] = {
  expected: 'a date, or milliseconds since 1970',
  takes: (value) => (typeof value === 'number' || value instanceof Date) && Math.abs(Number(value)) <= LAST,
}
const CHAT = kind.having('a chat made by `defineChat`', 'run', 'check')

/** Kinds of the options of every operation. */
export const KINDS: {
  readonly host: OptionKinds<HostOptions>
  readonly submit: OptionKinds<SubmitOptions>
  readonly work: OptionKinds<WorkOptions>
  readonly list: OptionKinds<ListOptions>
  readonly events: OptionKinds<EventsOptions>
  readonly result: OptionKinds<{ readonly signal?: AbortSignal | undefined }>
  readonly pending: OptionKinds<{ readonly agent?: string | undefined }>
  readonly decide: OptionKinds<{ readonly by?: string | undefined }>
  readonly cancel: OptionKinds<{ readonly reason: string }>
  readonly perform: OptionKinds<PerformOptions>
} = {
  host: {
    chats: kind.list,
    at: kind.having('a backend, such as `sqlite(path)`', 'watch', 'close'),
    retention: kind.number(0),
  },
  submit: { id: kind.text, at: TIME },
  work: { concurrency: kind.whole(1), lease: LEASE_SECONDS, signal: runOptionKinds.signal, onError: kind.call },
  list: {
    state: kind.oneOf('waiting', 'running', 'suspended', 'done', 'failed', 'cancelled'),
    chat: CHAT,
  },
  events: { after: kind.orNull(kind.text), signal: runOptionKinds.signal },
  result: { signal: runOptionKinds.signal },
  pending: { agent: kind.text },
  decide: { by: kind.text },
  cancel: { reason: kind.text },
  perform: { key: kind.text, signal: runOptionKinds.signal },
}

/** Refuses unknown, wrong and missing options of a host. */
export function checkHost(options: HostOptions): void {
  checkOptions((options as object | undefined) ?? null, KINDS.host, 'create a host')
  for (const key of ['chats', 'at'] as const) {
    if (options[key]) continue
    throw new XError('invalid-argument', `cannot create a host: it has no \`${key}\`; give ${KINDS.host[key].expected}`)
  }
  const seen = new Set<string>()
  for (const chat of options.chats) {
    if (!CHAT.takes(chat)) {
      throw new XError('invalid-argument', `cannot create a host: \`chats\` holds something else than ${CHAT.expected}`)
    }
    const name = `${chat.name}@${chat.version}`
    if (seen.has(name)) throw new XError('invalid-argument', `cannot create a host: two \`chats\` are \`${name}\``)
    seen.add(name)
  }
}

/** Refuses an identifier that a store could not keep, for what is attempted. */
export function checkId(id: unknown, attempt: string): string {
  if (typeof id === 'string' && id.length > 0 && id.length <= 200 && id.isWellFormed() && !id.includes('\0')) return id
  throw new XError('invalid-argument', `cannot ${attempt}: \`id\` has to be a text of 1 to 200 characters`)
}
