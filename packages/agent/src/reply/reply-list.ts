import type { Agent, RegisterReplyOptions, Trigger } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { AnyReply, ReplySlot } from '../memory/state.ts'
import { BUILT_IN, isStepsReply } from '../options/operations.ts'

/** The list with a further reply function. */
export function withReply(
  slots: readonly ReplySlot[],
  trigger: Trigger,
  replyFunc: AnyReply,
  options: RegisterReplyOptions<never> = {},
): readonly ReplySlot[] {
  checkTrigger(trigger)
  const { config = null, resetConfig = null, removeOtherReplyFuncs = false } = options
  const reply = namedReply(replyFunc) as AnyReply
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

/** The list with another function in the slot of one, wherever it stands. */
export const withReplaced = (slots: readonly ReplySlot[], old: object, replyFunc: AnyReply): readonly ReplySlot[] =>
  slots.map((slot) =>
    slot && isSame(slot.replyFunc, old) ? { ...slot, replyFunc: namedReply(replyFunc) as AnyReply } : slot,
  )

/** The list with the configs of all entries restored. */
export function withConfigsReset(slots: readonly ReplySlot[]): readonly ReplySlot[] {
  for (const slot of slots) slot?.resetConfig?.(slot.config as never)
  return slots.map((slot) =>
    slot && !slot.resetConfig && slot.initConfig !== null ? { ...slot, config: copied(slot.initConfig) } : slot,
  )
}

/** The functions that a blocking chat cannot ask and was not told to leave out. */
export const asyncReplies = (slots: readonly ReplySlot[]): string[] =>
  slots.flatMap((slot) => (slot?.async && !slot.ignoreAsyncInSyncChat ? [replyName(slot.replyFunc)] : []))

/** The name of a reply function, for messages and the log. */
export const replyName = (reply: AnyReply): string => reply.name || 'an anonymous reply function'

function indexOf(slots: readonly ReplySlot[], position: NonNullable<RegisterReplyOptions['position']>): number {
  if (typeof position === 'number') return position
  const named = 'before' in position ? position.before : position.after
  const index = slots.findIndex((slot) => slot && isSame(slot.replyFunc, named))
  if (index === -1) {
    throw new XError('invalid-argument', 'the reply function that `position` names is not registered with this agent')
  }
  // The empty position of a built-in stands before it.
  if ('after' in position) return index + 1
  return slots[index - 1] === null ? index - 1 : index
}

const isAsyncFunction = (reply: AnyReply): boolean =>
  !isStepsReply(reply) && Object.prototype.toString.call(reply) === '[object AsyncFunction]'

/** A shallow copy of plain data, as the config of a reply function is copied. */
function copied(config: unknown): unknown {
  if (Array.isArray(config)) return [...(config as unknown[])]
  if (typeof config === 'object' && config !== null && Object.getPrototypeOf(config) === Object.prototype) {
    return { ...config }
  }
  return config
}

/** The reply function that a value names: itself, or the one whose operation it is. */
export const namedReply = (reply: object): object => (reply as { [BUILT_IN]?: object })[BUILT_IN] ?? reply

/** Whether two name the same reply function; a built-in is named by itself and by either of its operations. */
export const isSame = (one: object, other: object): boolean => namedReply(one) === namedReply(other)

type AgentClass = abstract new (...args: never) => Agent

/** Refuses what is not a trigger with `invalid-argument`. */
export function checkTrigger(trigger: Trigger): void {
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

/** Makes the test whether a trigger matches the sender of a message; null is the missing sender. */
export function matcher(trigger: Trigger): (sender: Agent | null) => boolean {
  if (trigger === null) return (sender) => sender === null
  if (typeof trigger === 'string') return (sender) => sender?.name === trigger
  if (typeof trigger === 'function') {
    return isClass(trigger) ? (sender) => sender instanceof trigger : trigger
  }
  if (Array.isArray(trigger)) {
    const matchers = (trigger as readonly Trigger[]).map(matcher)
    return (sender) => matchers.some((matches) => matches(sender))
  }
  if (isAgent(trigger)) return (sender) => trigger === sender
  return () => refuseTrigger(trigger)
}

const isAgent = (value: unknown): boolean => typeof value === 'object' && value !== null && '~state' in value

// A class can be told from a function by its source alone.
const isClass = (value: object): value is AgentClass => /^class\b/u.test(Function.prototype.toString.call(value))
