import type { Agent, ChatMessage, HookName, JsonSchema, MaybePromise, Reply, RunContext } from '@x/interfaces'
import { currentRun, isThenable, type Steps, wait } from '@x/kernel'
import { partRun } from '@x/kernel/run'
import { CONTENT_SHAPE, MESSAGES_SHAPE, MESSAGE_SHAPE } from '../durability/saved-shapes.ts'
import { isSilent, type State } from '../memory/state.ts'
import { contextOf, keepAnswer } from '../run/external-call.steps.ts'
import { recallAnswer, type RecordedCall } from '../run/recorder.ts'
import { type Places, scopeIn } from '../run/scope.ts'

/** Lets every `updateAgentState` hook change the agent, in order of registration; a resumed chat asks them again. */
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

/** Lets every hook change the whole list of messages; the stored history stays. */
export function* processAllMessages(state: State, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  // A caller may have none, as in the Python library.
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

/** Lets every hook change the content of the last message, in a copy; calls, contexts and `exit` are left as they are. */
export function* processLastReceived<M extends readonly ChatMessage[] | null>(state: State, messages: M): Steps<M> {
  const last = messages?.at(-1)
  if (!last || 'function_call' in last || 'context' in last) return messages
  const { content } = last
  if (typeof content !== 'string' && !Array.isArray(content)) return messages
  if (content === 'exit') return messages
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
      call: (hook, message: Reply, { run, signal, emit }) =>
        hook({ sender, message, recipient, silent: isSilent(state, silent), run, signal, emit }),
    },
    reply,
  )
}

/** The hooks of an agent at one point, and how each is called. */
export interface HookPoint<H, T> {
  readonly name: HookName
  readonly agent: Agent
  readonly hooks: readonly H[]
  /** Shape that a kept result has to have. */
  readonly shape: JsonSchema
  readonly call: (hook: H, value: T, context: RunContext) => MaybePromise<T>
}

/** What the hooks of a point made of a value, as a journal keeps it. */
interface KeptResult {
  readonly value: unknown
  /** Whether they took their time or started something, and with that a place. */
  readonly asked?: boolean
}

/**
 * Gives a value to every hook of a point, one after the other. A journal keeps what came of all of them together: a chat
 * that is resumed has what they made of its past, whichever hooks there are by now. Hooks take a place only when they do
 * not answer at once, so those that do may come and go while a chat waits.
 */
export function* applyHooks<H extends { readonly name: string }, T>(point: HookPoint<H, T>, first: T): Steps<T> {
  const { agent, hooks, name } = point
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const { journal, places } = scope
  const place = places.upcoming
  const call = journal && recordedPoint(places, point)
  if (journal && call) {
    const known = recallAnswer(journal, run, place, call)?.value as KeptResult | undefined
    if (known?.asked) scope.places.take()
    if (known) return known.value as T
    // There were no hooks when this happened.
    if (scope.isPast) return first
  }
  if (hooks.length === 0) return first
  const inner = scope.inner({ place, agent })
  const part = partRun(run, { scope: inner })
  let value = first
  let asked = false
  try {
    for (const hook of hooks) {
      const given = point.call(hook, value, contextOf(part.run))
      asked ||= isThenable(given)
      value = yield* wait(given, hook.name || `a ${name} hook`)
    }
  } finally {
    part.end()
  }
  asked ||= inner.places.next > 0
  if (asked) scope.places.take()
  if (journal && call) {
    const kept: KeptResult = { value, ...(asked && { asked }) }
    const around = { outside: journal.participants, inside: null }
    yield* keepAnswer({ keep: (value) => journal.recorder.keep(run, { place, call, value, around }) }, kept)
  }
  return value
}

/** One use of a point, which is told from others before the next place by its number. */
function recordedPoint(places: Places, { name, shape }: Pick<HookPoint<never, never>, 'name' | 'shape'>): RecordedCall {
  places.hooks ??= {}
  const use = (places.hooks[name] = (places.hooks[name] ?? 0) + 1)
  return {
    kind: 'hook',
    name: `${name} ${use}`,
    label: `the ${name} hooks`,
    shape: { type: 'object', properties: { value: shape }, required: ['value'] },
  }
}
