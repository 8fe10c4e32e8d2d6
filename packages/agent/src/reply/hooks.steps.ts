import type { Agent, ChatMessage, HookName, JsonSchema, MaybePromise, Reply, RunContext } from '@x/interfaces'
import { currentRun, isThenable, type Steps, wait, XError } from '@x/kernel'
import { partRun } from '@x/kernel/run'
import { CONTENT_SHAPE, MESSAGES_SHAPE, MESSAGE_SHAPE } from '../durability/saved-shapes.ts'
import { isSilent, type State } from '../memory/state.ts'
import { contextOf, keepAnswer } from '../run/external-call.steps.ts'
import { recallAnswer, type RecordedCall } from '../run/recorder.ts'
import { type Places, type Scope, scopeIn } from '../run/scope.ts'

/** Lets every `updateAgentState` hook change the agent, in order of registration. A resumed chat calls the hooks again. */
export function* updateAgentState(state: State, messages: readonly ChatMessage[]): Steps<void> {
  const { agent } = state
  const run = yield* currentRun()
  for (const hook of state.hooks.updateAgentState) {
    const scope = scopeIn(run)
    const inner = scope.inner({ place: scope.places.upcoming, agent })
    const part = partRun(run, { scope: inner })
    try {
      yield* wait(hook(agent as never, messages, contextOf(part.run)), hook.name || 'an `updateAgentState` hook')
    } finally {
      part.end()
    }
    if (inner.places.next > 0) scope.places.take()
  }
}

/** Lets every hook change the whole list of messages. The stored history stays as it is. */
export function* processAllMessages(state: State, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  // A caller may pass null, as in the Python library.
  if (!messages) return messages
  return yield* applyHooks(
    {
      name: 'processAllMessagesBeforeReply',
      agent: state.agent,
      hooks: state.hooks.processAllMessagesBeforeReply,
      shape: MESSAGES_SHAPE,
      call: (hook, given: readonly ChatMessage[], context) => hook([...given], context),
    },
    messages,
  )
}

/** Lets every hook change the content of the last message, in a copy; none with a function call or a `context`, and no `exit`. */
export function* processLastReceived<M extends readonly ChatMessage[] | null>(state: State, messages: M): Steps<M> {
  if (!passesHooks(messages?.at(-1))) return messages
  const last = messages!.at(-1)!
  const { content } = last
  const processed = yield* applyHooks(
    {
      name: 'processLastReceivedMessage',
      agent: state.agent,
      hooks: state.hooks.processLastReceivedMessage,
      shape: CONTENT_SHAPE,
      call: (hook, given: ChatMessage['content'], context) => hook(given as string, context),
    },
    content,
  )
  if (processed === content) return messages
  return [...messages!.slice(0, -1), { ...last, content: processed }] as readonly ChatMessage[] as M
}

/** True for a last message that hooks may change. */
function passesHooks(last: ChatMessage | undefined): boolean {
  if (!last || 'function_call' in last || 'context' in last) return false
  const { content } = last
  return (typeof content === 'string' || Array.isArray(content)) && content !== 'exit'
}

/** Returns messages that pass the hook points of an agent without hooks. */
export function passUnchanged(scope: Scope, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages) return messages
  if (passesHooks(messages.at(-1))) countUse(scope, 'processLastReceivedMessage')
  countUse(scope, 'processAllMessagesBeforeReply')
  return messages
}

/**
 * Counts a use of a hook point that has no hooks. A run that goes on from a journal counts it too, since hooks may have gone
 * since then: entries of the agent behind it would have another name there.
 */
export function countUse({ journal, places }: Scope, name: HookName): void {
  if (journal) useOf(places, name)
}

/** Lets every hook change a message before it is sent. */
export function* processBeforeSend(
  state: State,
  reply: Reply,
  recipient: Agent,
  silent: boolean | null | undefined,
): Steps<Reply> {
  const { agent: sender } = state
  return yield* applyHooks(
    {
      name: 'processMessageBeforeSend',
      agent: sender,
      hooks: state.hooks.processMessageBeforeSend,
      shape: MESSAGE_SHAPE,
      call: (hook, message: Reply, { run, signal, emit, contextVariables }) =>
        hook({ sender, message, recipient, silent: isSilent(state, silent), run, signal, emit, contextVariables }),
    },
    reply,
  )
}

/** The hooks of an agent at one point, and the function that calls a hook. */
export interface HookPoint<H, T> {
  readonly name: HookName
  readonly agent: Agent
  readonly hooks: readonly H[]
  /** Shape that a result from a journal must have. */
  readonly shape: JsonSchema
  readonly call: (hook: H, value: T, context: RunContext) => MaybePromise<T>
}

/** The result of all hooks of a point, as a journal stores it. */
interface KeptResult {
  readonly value: unknown
  /** True if a hook gave a promise or started something, so that the hooks took a place. */
  readonly asked?: boolean
}

/**
 * Passes a value through every hook of a point, one after the other. A journal keeps the joint result: a resumed chat has
 * the results of its past, whatever hooks are registered by then. Hooks take a place only if one of them does not answer
 * at once: others may come and go meanwhile.
 */
function* applyHooks<H extends { readonly name: string }, T>(point: HookPoint<H, T>, first: T): Steps<T> {
  const { agent, hooks, name } = point
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const { journal, places } = scope
  const place = places.upcoming
  const call = journal && recordedPoint(places, point)
  if (journal && call) {
    if (hooks.length > 0)
      journal.recorder.noteInput?.(place, call, { value: first, hooks: hooks.map((hook) => hook.name) })
    const known = recallAnswer(journal, run, place, call)?.value as KeptResult | undefined
    if (known?.asked) scope.places.take()
    if (known) return known.value as T
    // The earlier run had no hooks here: a replay leaves them out too.
    if (scope.isPast) {
      if (hooks.length > 0) journal.recorder.noteLeftOut?.(place, call, { value: first } satisfies KeptResult)
      return first
    }
  }
  if (hooks.length === 0) return first
  const held = call && journal?.recorder.beforeCall?.(run, place, call)
  if (held) yield* wait(held, 'the journal of a chat')
  const inner = scope.inner({ place, agent })
  const part = partRun(run, { scope: inner })
  let value = first
  let takesPlace = false
  try {
    for (const hook of hooks) {
      const result = point.call(hook, value, contextOf(part.run))
      takesPlace ||= isThenable(result)
      value = requireValue(yield* wait(result, hook.name || `a ${name} hook`), point, hook)
    }
  } finally {
    part.end()
  }
  takesPlace ||= inner.places.next > 0
  if (takesPlace) scope.places.take()
  if (journal && call) {
    const kept: KeptResult = { value, ...(takesPlace && { asked: true }) }
    const around = { outside: journal.participants, inside: null }
    yield* keepAnswer({ keep: (value) => journal.recorder.keep(run, { place, call, value, around }) }, kept)
  }
  return value
}

/** Gives back what a hook returned; nothing is refused: its words would be lost. */
function requireValue<H extends { readonly name: string }, T>(value: T, { name, agent }: HookPoint<H, T>, hook: H): T {
  if (value !== undefined && value !== null) return value
  throw new XError(
    'invalid-argument',
    `the hook${hook.name ? ` \`${hook.name}\`` : ''} of \`${agent.name}\` for \`${name}\` returned ${String(value)}: return what it was given, changed or as it is`,
  )
}

/** Describes one use of a hook point. A number tells those between two places apart. */
function recordedPoint(places: Places, { name, shape }: Pick<HookPoint<never, never>, 'name' | 'shape'>): RecordedCall {
  return {
    kind: 'hook',
    name: `${name} ${useOf(places, name)}`,
    label: `the ${name} hooks`,
    shape: { type: 'object', properties: { value: shape }, required: ['value'] },
  }
}

/** Returns the number of this use of a hook point. */
function useOf(places: Places, name: HookName): number {
  places.hooks ??= {}
  return (places.hooks[name] = (places.hooks[name] ?? 0) + 1)
}
