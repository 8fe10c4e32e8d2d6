import type {
  ChatMessage,
  ConfigEntry,
  Face,
  JsonSchema,
  MaybePromise,
  ModelRequest,
  RequestParams,
  ToolSchema,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { frozenCopy } from './frozen-copy.ts'
import { GrowingLists, type ListSnapshot } from './growing-lists.ts'
import { describeReply, type ReplyFunctionOf, type ScriptedReply, type ScriptedUsage } from './scripted-reply.ts'
import { turnOf, type Turn } from './turn.ts'

/** One request to a scripted model, as frozen copies. */
export interface ScriptedCall {
  readonly messages: readonly ChatMessage[]
  /** Tools of the config or the request, and further tools of the request. */
  readonly tools: readonly ToolSchema[]
  /** Requested model. */
  readonly model: string
  /** All other parameters of the request and its config. */
  readonly params: Readonly<Record<string, unknown>>
  /** Face of the call; null for `create` of a client, which cannot know it. */
  readonly face: Face | null
  /** Name of the requesting agent, if the caller gave one. */
  readonly agent?: string | undefined
  /** Number that distinguishes equal requests, if the caller gave one. */
  readonly sample?: number | undefined
}

/** Options of a script. */
export interface ScriptOptions {
  /** Answers all further requests with the last reply; default false: they fail. */
  readonly repeatLast?: boolean | undefined
  /** Tokens of replies without `usage`; default `[10, 5]`. */
  readonly usage?: ScriptedUsage | undefined
  /** Cost of an answer in US dollars where its reply does not say, null for an unknown price; default 0. */
  readonly cost?: number | null | undefined
}

/** Replies in order, or a function from a request to its reply. */
export type Replies = readonly ScriptedReply[] | ReplyFunctionOf<ScriptedCall>

/** A request to a script. */
export interface ScriptRequest {
  /** The config; its parameters are defaults of the request. */
  readonly config: Readonly<ConfigEntry>
  readonly request: ModelRequest & Pick<RequestParams, 'tools' | 'model'>
  /** Null if it is not known. */
  readonly face: Face | null
}

/** A request in the log. What it says beside its messages is frozen; its entry is made when it is read: most never are. */
export class LoggedCall {
  readonly #config: ScriptRequest['config']
  readonly #facts: Readonly<Record<string, unknown>>
  readonly #face: Face | null
  readonly #messages: ListSnapshot<ChatMessage>
  #call: ScriptedCall | undefined

  constructor({ config, request, face }: ScriptRequest, messages: ListSnapshot<ChatMessage>) {
    this.#config = config
    this.#facts = factsOf(request)
    this.#face = face
    this.#messages = messages
  }

  /** The request as it was, with defaults from the config. */
  get call(): ScriptedCall {
    return (this.#call ??= callOf(this.#config, this.#facts, this.#face, this.#messages))
  }
}

/** Returns a frozen copy of a request without its messages. */
function factsOf(request: ModelRequest): Record<string, unknown> {
  const { messages: _, ...facts }: Record<string, unknown> = request
  for (const name in facts) if (typeof facts[name] === 'object') facts[name] = frozenCopy(facts[name])
  return facts
}

function callOf(
  config: Readonly<ConfigEntry>,
  facts: Readonly<Record<string, unknown>>,
  face: Face | null,
  messages: ListSnapshot<ChatMessage>,
): ScriptedCall {
  const { configList: _, ...base } = config as ConfigEntry & { configList?: unknown }
  const {
    tools = [],
    moreTools = [],
    model = 'scripted',
    agent,
    sample,
    answerSchema,
    ...params
  } = { ...base, ...facts } as Partial<Omit<ScriptedCall, 'messages'>> & {
    answerSchema?: JsonSchema
    moreTools?: readonly ToolSchema[]
  }
  return Object.freeze({
    // The log holds provider tools beside the others.
    tools: frozenCopy([...tools, ...moreTools]),
    model,
    params: frozenCopy(answerSchema ? { response_format: formatOf(answerSchema), ...params } : params),
    face,
    ...(agent !== undefined && { agent }),
    ...(sample !== undefined && { sample }),
    get messages() {
      return messages.list
    },
  })
}

/** Returns the wire form of an answer schema; a scripted model accepts any schema. */
const formatOf = (schema: JsonSchema): object => ({ type: 'json_schema', json_schema: { name: 'response', schema } })

/** A queue of replies with a log of the requests that took them. */
export class Script {
  readonly #replies: Replies
  readonly #options: ScriptOptions
  readonly #calls: LoggedCall[] = []
  readonly #log: LoggedCall[] | undefined
  readonly #messages = new GrowingLists<ChatMessage>()

  /** Several scripts may write one `log`. */
  constructor(replies: Replies, options: ScriptOptions = {}, log?: LoggedCall[]) {
    this.#replies = typeof replies === 'function' ? replies : [...replies]
    this.#options = options
    this.#log = log
  }

  /** The requests so far, as a frozen list. */
  get calls(): readonly ScriptedCall[] {
    return Object.freeze(this.#calls.map(({ call }) => call))
  }

  /** Logs a request and returns its reply. */
  take(incoming: ScriptRequest): MaybePromise<Turn> {
    const { request, config } = incoming
    const logged = new LoggedCall(incoming, this.#messages.keep(request.messages))
    this.#calls.push(logged)
    this.#log?.push(logged)
    const { usage = [10, 5], cost = 0 } = this.#options
    const defaults = {
      id: `scripted-${this.#calls.length}`,
      model: request.model ?? config.model ?? 'scripted',
      usage,
      cost,
    }
    const reply = typeof this.#replies === 'function' ? this.#replies(logged.call) : this.#next(this.#replies)
    return isReply(reply) ? turnOf(reply, defaults) : reply.then((late) => turnOf(late, defaults))
  }

  /** Fails unless every reply was used and every request got one. */
  assertComplete(): void {
    if (typeof this.#replies === 'function') return
    const requestCount = this.#calls.length
    const replyCount = this.#replies.length
    if (requestCount > replyCount && !this.#options.repeatLast)
      throw new XError('invalid-state', this.#tooManyRequests(replyCount))
    if (requestCount >= replyCount) return
    const unused = this.#replies
      .slice(requestCount)
      .map((reply, index) => `#${requestCount + index + 1} ${describeReply(reply)}`)
    throw new XError(
      'invalid-state',
      `${unused.length} of ${replyCount} replies of the scripted model were never asked for (${unused.join('; ')}): remove them, or find out why the model was not asked`,
      { details: { left: unused } },
    )
  }

  #next(replies: readonly ScriptedReply[]): ScriptedReply {
    const reply = replies[this.#calls.length - 1] ?? (this.#options.repeatLast ? replies.at(-1) : undefined)
    if (reply !== undefined) return reply
    throw new XError('invalid-state', this.#tooManyRequests(replies.length), {
      details: { call: this.#calls.at(-1)?.call },
    })
  }

  #tooManyRequests(replyCount: number): string {
    const requestCount = this.#calls.length
    const last = this.#calls.at(-1)?.call.messages.at(-1)?.content
    const about = typeof last === 'string' ? `, the last time with ${describeReply(last)}` : ''
    return `the scripted model was asked ${times(requestCount)}${about}, and its script has ${replyCount === 1 ? '1 reply' : `${replyCount} replies`}: add one, or set \`repeatLast\``
  }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

const isReply = (reply: MaybePromise<ScriptedReply>): reply is ScriptedReply =>
  typeof reply === 'string' || !('then' in reply)
