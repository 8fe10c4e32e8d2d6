import type { ActionToApprove, ApprovalDecision, PendingApproval } from '@x/interfaces'
import { currentRun, XError, type Steps } from '@x/kernel'
import { failRun } from '@x/kernel/run'
import { actionText } from '../console/action-text.ts'
import { DECISION, PENDING } from '../durability/saved-shapes.ts'
import type { State } from '../memory/state.ts'
import { keepAnswer } from '../run/external-call.steps.ts'
import { suspendCalls } from '../run/participants.ts'
import { scopeIn } from '../run/scope.ts'
import { humanInput } from './human-input.steps.ts'

/**
 * Asks for a decision: a human at once; in a chat with a journal the chat is suspended until somebody decides there, in
 * this process or another.
 */
export function* askApproval(state: State, action: ActionToApprove): Steps<ApprovalDecision> {
  return scopeIn(yield* currentRun()).recorder ? yield* recordedDecision(state, action) : yield* askHuman(state, action)
}

function* recordedDecision(state: State, action: ActionToApprove): Steps<ApprovalDecision> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const { chatId, agentPath, participants } = scope
  const recorder = scope.recorder!
  const id = scope.nextPlace()
  const decision = { kind: 'decision', label: 'a decision', shape: DECISION } as const
  const question = { kind: 'question', label: 'the question for a decision', shape: PENDING } as const
  let known: { readonly value: unknown } | undefined
  try {
    known = recorder.recall(id, decision, participants!)
  } catch (error) {
    failRun(run, error)
  }
  if (known) return known.value as ApprovalDecision
  const asked: PendingApproval = { id, chatId, agentPath: [...agentPath, state.name], agent: state.name, action }
  yield* keepAnswer({ keep: (value) => recorder.keep(run, { place: id, call: question, value }) }, asked)
  yield { type: 'approvalRequested', id, agent: state.name, action }
  const error = new XError(
    'suspended',
    `the chat waits for a decision on \`${id}\`: ${state.name} is about to ${actionText(action)}`,
    { details: { pending: asked } },
  )
  if (participants) suspendCalls(participants, error)
  throw error
}

/** Asks the human at once: yes allows the action, anything else is the reason why not. */
function* askHuman(state: State, action: ActionToApprove): Steps<ApprovalDecision> {
  const prompt = `${state.name} is about to ${actionText(action)} Allow? (yes, or a reason why not): `
  const typed = (yield* humanInput(state, prompt)).trim()
  if (/^y(?:es)?$/iu.test(typed)) return { allow: true }
  return { allow: false, reason: typed && !/^no?$/iu.test(typed) ? `the user said: ${typed}` : 'the user said no' }
}
