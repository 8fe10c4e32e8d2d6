import type { Agent, RegisterReplyOptions, ReplyFunction, ReplyFunctionRecord, Trigger } from '@x/interfaces'
import { XError } from '@x/kernel'
import { isStepsReply, type StepsReply } from './steps-reply.ts'
import { checkTrigger, matcher } from './trigger.ts'

/** A reply function: a plain one, or one in steps. */
export type AnyReply = ReplyFunction<never, never> | StepsReply

/** An entry of the list as it is kept: never changed, so that agents share the lists they are born with. */
export interface Entry extends ReplyFunctionRecord {
  readonly replyFunc: AnyReply
  readonly async: boolean
  /** Whether its trigger matches a sender. */
  readonly matches: (sender: Agent | null) => boolean
}

/** A literal place of the list: an entry, or the second place of a built-in that has two in the reference. */
export type Place = Entry | null

/** The list with a further reply function (spec, register_reply). */
export function withReply(
  places: readonly Place[],
  trigger: Trigger,
  replyFunc: AnyReply,
  options: RegisterReplyOptions<never> = {},
): readonly Place[] {
  checkTrigger(trigger)
  const { config = null, resetConfig = null, removeOtherReplyFuncs = false } = options
  const reply = identity(replyFunc) as AnyReply
  const async = options.async ?? isAsyncFunction(reply)
  const others = removeOtherReplyFuncs ? [] : places
  return others.toSpliced(placeOf(others, options.position ?? 0), 0, {
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

/** The list with another function in the place of one, wherever it stands. */
export const withReplaced = (places: readonly Place[], old: object, replyFunc: AnyReply): readonly Place[] =>
  places.map((place) =>
    place && isSame(place.replyFunc, old) ? { ...place, replyFunc: identity(replyFunc) as AnyReply } : place,
  )

/** The list with the configs of all entries restored (spec, reset). */
export function withConfigsReset(places: readonly Place[]): readonly Place[] {
  for (const place of places) place?.resetConfig?.(place.config as never)
  return places.map((place) =>
    place && !place.resetConfig && place.initConfig !== null ? { ...place, config: copied(place.initConfig) } : place,
  )
}

/** The functions that a blocking chat cannot ask and was not told to leave out. */
export const asyncReplies = (places: readonly Place[]): string[] =>
  places.flatMap((place) => (place?.async && !place.ignoreAsyncInSyncChat ? [replyName(place.replyFunc)] : []))

/** Whether two name the same reply function; a built-in is named by itself and by either of its doors. */
export const isSame = (one: object, other: object): boolean => identity(one) === identity(other)

/** The name of a reply function, for messages and the log. */
export const replyName = (reply: AnyReply): string => reply.name || 'an anonymous reply function'

/** The property by which a door names its built-in. */
export const BUILT_IN: unique symbol = Symbol.for('@x/agent/built-in') as never

const identity = (reply: object): object => (reply as { [BUILT_IN]?: object })[BUILT_IN] ?? reply

function placeOf(places: readonly Place[], position: NonNullable<RegisterReplyOptions['position']>): number {
  if (typeof position === 'number') return position
  const named = 'before' in position ? position.before : position.after
  const index = places.findIndex((place) => place && isSame(place.replyFunc, named))
  if (index === -1) {
    throw new XError('invalid-argument', 'the reply function that `position` names is not registered with this agent')
  }
  // The empty place of a built-in stands before it.
  if ('after' in position) return index + 1
  return places[index - 1] === null ? index - 1 : index
}

const isAsyncFunction = (reply: AnyReply): boolean =>
  !isStepsReply(reply) && Object.prototype.toString.call(reply) === '[object AsyncFunction]'

/** A shallow copy of plain data, as the spec's config is copied. */
function copied(config: unknown): unknown {
  if (Array.isArray(config)) return [...(config as unknown[])]
  if (typeof config === 'object' && config !== null && Object.getPrototypeOf(config) === Object.prototype) {
    return { ...config }
  }
  return config
}
