import type { ActionToApprove, ApprovalDecision, PendingApproval } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import { actionText } from './action-text.ts'
import { DECIDED, pendingEntry } from '../resume/chat-journal.ts'
import { suspend } from '../resume/circle.ts'
import { humanInput } from '../reply/human-input.steps.ts'
import { checkedAnswer } from '../resume/leaf.steps.ts'
import { DECISION } from '../resume/saved-shapes.ts'
import { nextPlace, scopeOf, type Scope } from '../resume/scope.ts'
import type { State } from '../state/state.ts'

/**
 * Asks for a decision: a human at once; in a chat with a journal the chat is suspended until somebody decides there, in
 * this process or another.
 */
export function* approved(state: State, action: ActionToApprove): Steps<ApprovalDecision> {
  const scope = scopeOf(yield* face())
  return scope?.journal ? yield* decided(state, action, scope) : yield* askedAtOnce(state, action)
}

function* decided(state: State, action: ActionToApprove, scope: Scope): Steps<ApprovalDecision> {
  const journal = scope.journal!
  const id = nextPlace(scope)
  const known = journal.recall(id)
  if (known) {
    checkedAnswer(known, DECIDED, DECISION)
    return known.value as ApprovalDecision
  }
  const { chatId, agentPath } = scope
  const asked: PendingApproval = { id, chatId, agentPath: [...agentPath, state.name], agent: state.name, action }
  yield* wait(journal.keep(pendingEntry(asked)), 'the journal of a chat')
  yield { type: 'approvalRequested', id, agent: state.name, action }
  const error = new XError(
    'suspended',
    `the chat waits for a decision on \`${id}\`: ${state.name} is about to ${actionText(action)}`,
    { details: { pending: asked } },
  )
  if (scope.circle) suspend(scope.circle, error)
  throw error
}

/** What a human says to it: yes lets it happen, anything else is the reason why not. */
function* askedAtOnce(state: State, action: ActionToApprove): Steps<ApprovalDecision> {
  const prompt = `${state.name} is about to ${actionText(action)} Allow? (yes, or a reason why not): `
  const typed = (yield* humanInput(state, prompt)).trim()
  if (/^y(?:es)?$/iu.test(typed)) return { allow: true }
  return { allow: false, reason: typed && !/^no?$/iu.test(typed) ? `the user said: ${typed}` : 'the user said no' }
}
