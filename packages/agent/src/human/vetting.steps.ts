import type { ActionToApprove, CodeBlock, MaybePromise, Vet } from '@x/interfaces'
import { isThenable, type Steps } from '@x/kernel'
import { askApproval } from './approval.steps.ts'
import { externalCall } from '../run/external-call.steps.ts'
import { ATTEMPT } from '../durability/saved-shapes.ts'
import type { MappedFunction } from '../options/operations.ts'
import type { State } from '../memory/state.ts'

/** A call that is about to be made. */
interface Call {
  readonly name: string
  readonly args: Record<string, unknown>
  readonly callId: string | null
}

/** The permission to make a call with certain arguments, or the refusal. */
export type Permission = { readonly args: Record<string, unknown> } | { readonly denied: string }

/** Asks whether a call may be made: the agent's vetting function, and somebody if it or the tool wants that. */
export function* permitCall(state: State, mapped: MappedFunction, { name, args, callId }: Call): Steps<Permission> {
  const call = { name, arguments: args, callId }
  const denied = yield* askVet(state, state.beforeToolCall, { agent: state.name, ...call })
  if (typeof denied === 'string') return { denied }
  if (denied === ALLOWED && !(yield* wantsApproval(state, mapped, args))) return { args }
  return yield* askPermission(state, { type: 'toolCall', ...call }, args)
}

/** Asks whether code may run; gives the reason why not, or nothing. */
export function* vetCode(state: State, blocks: readonly CodeBlock[]): Steps<string | undefined> {
  const denied = yield* askVet(state, state.beforeCodeExecution, { agent: state.name, blocks })
  if (typeof denied === 'string') return denied
  if (denied === ALLOWED) return undefined
  const its = yield* askPermission(state, { type: 'code', blocks }, {})
  return 'denied' in its ? its.denied : undefined
}

const ALLOWED = Symbol('allowed')
const TO_APPROVE = Symbol('to approve')

/** What the vetting function says; it fails closed: what could not be vetted does not happen. */
function* askVet<T>(
  state: State,
  vet: Vet<T> | undefined,
  what: T,
): Steps<string | typeof ALLOWED | typeof TO_APPROVE> {
  if (!vet) return ALLOWED
  const call = { kind: 'vetting', label: vet.name || 'a vetting function', shape: ATTEMPT, agent: state.agent } as const
  const { said: verdict, failure } = yield* externalCall(call, (context) => attempt(() => vet(what, context)))
  if (failure !== undefined) return `it could not be vetted: ${failure || 'the vetting function failed'}`
  if (verdict === 'allow') return ALLOWED
  if (verdict === 'ask') return TO_APPROVE
  const reason = (verdict as { deny?: unknown } | null | undefined)?.deny
  return typeof reason === 'string' ? reason : 'it was not allowed'
}

/** Whether the tool itself wants an approval; a question that fails is answered with yes. */
function* wantsApproval(state: State, mapped: MappedFunction, args: Record<string, unknown>): Steps<boolean> {
  const { needsApproval } = mapped
  if (typeof needsApproval !== 'function') return needsApproval === true
  const label = 'the question whether a tool needs approval'
  const call = { kind: 'vetting', label, shape: ATTEMPT, agent: state.agent } as const
  const { said } = yield* externalCall(call, (context) => attempt(() => needsApproval(args, context)))
  return said !== false
}

/** What a function said, or why it failed: a chat that goes on takes a failure for what it was, and does not ask again. */
interface Attempt {
  readonly said?: unknown
  readonly failure?: string
}

function attempt(ask: () => unknown): MaybePromise<Attempt> {
  const failed = (error: unknown): Attempt => ({ failure: error instanceof Error ? error.message : '' })
  try {
    const said = ask()
    return isThenable(said) ? said.then((its): Attempt => ({ said: its }), failed) : { said }
  } catch (error) {
    return failed(error)
  }
}

function* askPermission(state: State, action: ActionToApprove, args: Record<string, unknown>): Steps<Permission> {
  const decision = yield* askApproval(state, action)
  if (!decision.allow) return { denied: decision.reason ?? 'the user said no' }
  return { args: { ...(decision.arguments ?? args) } }
}
