import type { ChatMessage, Face, MaybePromise, ToolSchema } from '@x/interfaces'
import { XError } from '@x/kernel'
import { frozenCopy } from './frozen-copy.ts'
import { GrowingLists } from './growing-lists.ts'
import { describeReply, type ReplyFunctionOf, type ScriptedReply, type ScriptedUsage } from './scripted-reply.ts'
import { turnOf, type Turn } from './turn.ts'

/** One request to a scripted model, as frozen copies. */
export interface ScriptedCall {
  readonly messages: readonly ChatMessage[]
  /** The tools of the request or of its config. */
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
  /** Tokens of an answer whose reply does not say; default `[10, 5]`. */
  readonly usage?: ScriptedUsage | undefined
  /** Cost of an answer in US dollars where its reply does not say, null for an unknown price; default 0. */
  readonly cost?: number | null | undefined
}

/** Replies in order, or the function that gives them. */
export type Replies = readonly ScriptedReply[] | ReplyFunctionOf<ScriptedCall>

/** A request in the log; the frozen copy is made when it is read, because most never are. */
export class LoggedCall {
  readonly #request: Omit<ScriptedCall, 'messages'>
  readonly #messages: () => readonly ChatMessage[]
  #call: ScriptedCall | undefined

  constructor(request: Omit<ScriptedCall, 'messages'>, messages: () => readonly ChatMessage[]) {
    this.#request = { ...request, tools: frozenCopy(request.tools), params: frozenCopy(request.params) }
    this.#messages = messages
  }

  /** The request as it was. */
  get call(): ScriptedCall {
    const messages = this.#messages
    return (this.#call ??= Object.freeze({
      ...this.#request,
      get messages() {
        return messages()
      },
    }))
  }
}

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
  take(request: ScriptedCall): MaybePromise<Turn> {
    const { messages, ...facts } = request
    const logged = new LoggedCall(facts, this.#messages.keep(messages))
    this.#calls.push(logged)
    this.#log?.push(logged)
    const { usage = [10, 5], cost = 0 } = this.#options
    const defaults = { id: `scripted-${this.#calls.length}`, model: request.model, usage, cost }
    const made = typeof this.#replies === 'function' ? this.#replies(logged.call) : this.#next(this.#replies)
    return isReply(made) ? turnOf(made, defaults) : made.then((reply) => turnOf(reply, defaults))
  }

  /** Fails unless every reply was used and no request went without one. */
  assertComplete(): void {
    if (typeof this.#replies === 'function') return
    const asked = this.#calls.length
    const given = this.#replies.length
    if (asked > given && !this.#options.repeatLast) throw new XError('invalid-state', this.#tooMany(given))
    if (asked >= given) return
    const left = this.#replies.slice(asked).map((reply, index) => `#${asked + index + 1} ${describeReply(reply)}`)
    throw new XError(
      'invalid-state',
      `${left.length} of ${given} replies of the scripted model were never asked for (${left.join('; ')}): remove them, or find out why the model was not asked`,
      { details: { left } },
    )
  }

  #next(replies: readonly ScriptedReply[]): ScriptedReply {
    const reply = replies[this.#calls.length - 1] ?? (this.#options.repeatLast ? replies.at(-1) : undefined)
    if (reply !== undefined) return reply
    throw new XError('invalid-state', this.#tooMany(replies.length), { details: { call: this.#calls.at(-1)?.call } })
  }

  #tooMany(given: number): string {
    const asked = this.#calls.length
    const last = this.#calls.at(-1)?.call.messages.at(-1)?.content
    const about = typeof last === 'string' ? `, the last time with ${describeReply(last)}` : ''
    return `the scripted model was asked ${times(asked)}${about}, and its script has ${given === 1 ? '1 reply' : `${given} replies`}: add one, or set \`repeatLast\``
  }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

const isReply = (made: MaybePromise<ScriptedReply>): made is ScriptedReply =>
  typeof made === 'string' || !('then' in made)
