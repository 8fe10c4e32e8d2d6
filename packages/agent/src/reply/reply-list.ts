import type { Agent, RegisterReplyOptions, ReplyOutcome, Trigger } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import type { AnyReply, ReplySlot } from '../memory/state.ts'
import { BUILT_IN, isStepsReply } from '../options/operations.ts'

/** The outcome of a reply function that leaves the reply to the next one. */
export const PASS_ON: ReplyOutcome = [false, null]

/** Returns the list with another reply function. */
export function withReply(
  slots: readonly ReplySlot[],
  trigger: Trigger,
  replyFunc: AnyReply,
  options: RegisterReplyOptions<never> = {},
): readonly ReplySlot[] {
  checkTrigger(trigger)
  const { config = null, resetConfig = null, removeOtherReplyFuncs = false } = options
  const reply = checkedReply(replyFunc)
  const async = options.async ?? isAsyncFunction(reply)
  const others = removeOtherReplyFuncs ? [] : slots
  return others.toSpliced(indexOf(others, options.position ?? 0), 0, {
    trigger,
    replyFunc: reply,
    config: copied(config),
    initConfig: config,
    resetConfig,
    ignoreAsyncInSyncChat: (options.ignoreAsyncInSyncChat ?? false) && async,
    async,
    matches: matcher(trigger),
  })
}

/** Returns the list with `replyFunc` in every slot of `old`. */
export const withReplaced = (slots: readonly ReplySlot[], old: object, replyFunc: AnyReply): readonly ReplySlot[] =>
  slots.map((slot) => {
    if (!slot || !isSame(slot.replyFunc, old)) return slot
    const reply = checkedReply(replyFunc)
    return { ...slot, replyFunc: reply, async: isAsyncFunction(reply) }
  })

/** Returns the list with the config of every entry restored. */
export function withConfigsReset(slots: readonly ReplySlot[]): readonly ReplySlot[] {
  for (const slot of slots) slot?.resetConfig?.(slot.config as never)
  return slots.map((slot) =>
    slot && !slot.resetConfig && slot.initConfig !== null ? { ...slot, config: copied(slot.initConfig) } : slot,
  )
}

/** Names the asynchronous functions that a blocking chat may not skip. */
export const asyncReplies = (slots: readonly ReplySlot[]): string[] =>
  slots.flatMap((slot) => (slot?.async && !slot.ignoreAsyncInSyncChat ? [replyName(slot.replyFunc)] : []))

/** Returns the name of a reply function, for messages and the log. */
export const replyName = (reply: AnyReply): string => reply.name || 'an anonymous reply function'

function indexOf(slots: readonly ReplySlot[], position: NonNullable<RegisterReplyOptions['position']>): number {
  if (typeof position === 'number') return position
  const neighbour = 'before' in position ? position.before : position.after
  const index = slots.findIndex((slot) => slot && isSame(slot.replyFunc, neighbour))
  if (index === -1) {
    throw new XError('invalid-argument', 'the reply function that `position` names is not registered with this agent')
  }
  // The empty slot of a built-in stands before its entry.
  if ('after' in position) return index + 1
  return slots[index - 1] === null ? index - 1 : index
}

/** True for a function that is declared as `async`. */
export const isAsyncFunction = (value: object): boolean =>
  Object.prototype.toString.call(value) === '[object AsyncFunction]'

/** A shallow copy of plain data, as the config of a reply function is copied. */
function copied(config: unknown): unknown {
  if (Array.isArray(config)) return [...(config as unknown[])]
  if (typeof config === 'object' && config !== null && Object.getPrototypeOf(config) === Object.prototype) {
    return { ...config }
  }
  return config
}

/** Resolves a reply function: an operation of a built-in stands for that built-in, any other function for itself. */
const namedReply = (reply: object): object => (reply as { [BUILT_IN]?: object })[BUILT_IN] ?? reply

function checkedReply(given: AnyReply): AnyReply {
  const reply = namedReply(given ?? {}) as AnyReply
  if (typeof reply === 'function' || isStepsReply(reply)) return reply
  throw noFunction('what stands behind the trigger of a reply function', 'give a function there')
}

/** Makes the error for a value in place of a function, which would fail when it is called. */
export const noFunction = (what: string, remedy = 'give one'): XError =>
  new XError('invalid-argument', `${what} is no function: ${remedy}`)

/** True if two values stand for the same reply function; see {@link namedReply}. */
export const isSame = (one: object, other: object): boolean => namedReply(one) === namedReply(other)

type AgentClass = abstract new (...args: never) => Agent

/** Refuses a value that is not a trigger with `invalid-argument`. */
function checkTrigger(trigger: Trigger): void {
  const kind = typeof trigger
  if (kind === 'string' || kind === 'function' || Array.isArray(trigger) || isAgent(trigger)) return
  refuseTrigger(trigger)
}

function refuseTrigger(trigger: unknown): never {
  throw new XError(
    'invalid-argument',
    `the trigger of a reply function is ${trigger === null ? 'null' : `a ${typeof trigger}`}: give a class, a name, an agent, a function, or a list of these`,
  )
}

/** Returns a test of whether a trigger matches a sender; null stands for no sender. */
function matcher(trigger: Trigger): (sender: Agent | null) => boolean {
  if (trigger === null) return (sender) => sender === null
  if (typeof trigger === 'string') return (sender) => sender?.name === trigger
  if (typeof trigger === 'function') {
    if (isClass(trigger)) return (sender) => sender instanceof trigger
    return (sender) => {
      const isMeant: unknown = trigger(sender)
      return isThenable(isMeant) ? refusePromise(isMeant, 'the trigger of a reply function') : Boolean(isMeant)
    }
  }
  if (Array.isArray(trigger)) {
    const matchers = (trigger as readonly Trigger[]).map(matcher)
    return (sender) => matchers.some((matches) => matches(sender))
  }
  if (isAgent(trigger)) return (sender) => trigger === sender
  return () => refuseTrigger(trigger)
}

const isAgent = (value: unknown): boolean => typeof value === 'object' && value !== null && '~state' in value

// Only the source distinguishes a class from a function.
const isClass = (value: object): value is AgentClass => /^class\b/u.test(Function.prototype.toString.call(value))

/** Refuses a test that answered with a promise, which would count as a yes whatever comes of it. */
export function refusePromise(answer: PromiseLike<unknown>, test: string): never {
  answer.then(ignore, ignore)
  throw new XError('invalid-argument', `${test} returned a promise: give a function that is not \`async\``)
}

const ignore = (): void => {}
