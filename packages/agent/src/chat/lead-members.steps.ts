import type { Agent, ChatMessage } from '@x/interfaces'
import { appendMessage } from '../memory/history.ts'
import { currentRun, XError, type Steps } from '@x/kernel'
import { failRun } from '@x/kernel/run'
import { loadProgress, savedSettings } from '../durability/agent-state.ts'
import { loadConversation, savedConversation } from '../durability/saved-conversation.ts'
import { MEMBERS } from '../durability/saved-shapes.ts'
import type { SavedConversation, SavedSettings } from '../options/operations.ts'
import { stateOf, type ActiveChat, type Conversation } from '../memory/state.ts'
import { storedMessage } from '../memory/stored-message.ts'
import type { ManagerRole } from '../options/manager-role.ts'
import { keepAnswer } from '../run/external-call.steps.ts'
import { openCall } from '../run/open-call.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { plainJson, sameJson } from '../schema/plain-json.ts'
import { isFresh } from './begin-chat.steps.ts'
import { conversationsWithMembers, occupy, refuseBusy, type MemberConversation } from './member-conversations.ts'
import { leavesCallsOpen, responsesTo } from './open-calls.steps.ts'

/**
 * Runs steps in which a manager leads its members: in the scope of a reply of its own, with the cache of the chat for all
 * of them, and with their state in the journal. Members that another chat with the manager has are refused with
 * `conversation-busy`. Steps that fail or are stopped leave no call without an answer, in no history.
 */
export function* leadMembers<T>(manager: Agent, steps: Steps<T>): Steps<T> {
  const around = scopeIn(yield* currentRun())
  const state = stateOf(manager)
  const role = state.managerRole
  if (!role) {
    throw new XError(
      'invalid-state',
      `\`${manager.name}\` cannot lead members: it manages none; call \`setManagerRole\` first`,
    )
  }
  const own: ActiveChat | undefined = around.chat ? undefined : { cache: state.clientCache ?? null, own: null }
  const chat = around.chat ?? own!
  const all = conversationsWithMembers(state, null, chat)
  refuseBusy(all, chat)
  const release = occupy(all, chat)
  let broken = true
  try {
    const scope = around.inner({ place: around.nextPlace(), agent: manager, chat: own })
    const result = yield* inScope(scope, joinAndLead(role, all, steps))
    broken = false
    return result
  } catch (error) {
    broken = !leavesCallsOpen(error)
    throw error
  } finally {
    if (broken) closeCalls(manager.name, role, all)
    release()
  }
}

function* joinAndLead<T>(role: ManagerRole, all: readonly MemberConversation[], steps: Steps<T>): Steps<T> {
  yield* joinRun(role, all)
  return yield* steps
}

/** How members stand when their manager begins to lead them, as a journal keeps it. */
interface MembersBeginning {
  readonly options: unknown
  readonly names: readonly string[]
  readonly agents: readonly SavedSettings[]
  readonly conversations: readonly SavedConversation[]
}

/** Keeps in the journal how members stand that join its run, or makes them stand as they did. */
function* joinRun(role: ManagerRole, all: readonly MemberConversation[]): Steps<void> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  if (!scope.recorder) {
    scope.nextPlace()
    return
  }
  const label = `a group of \`${all.map(({ member }) => member.name).join('`, `')}\``
  const open = openCall(scope, run, { kind: 'begin', label, shape: MEMBERS })
  open.end()
  const fresh = all.filter(({ member }) => isFresh(run, scope, member))
  const sides = fresh.flatMap(({ its, theirs }) => [its, theirs])
  const names = all.map(({ member }) => member.name)
  const known = open.known?.value as MembersBeginning | undefined
  if (!known) {
    const value: MembersBeginning = {
      options: plainJson(role.save(), label),
      names,
      agents: fresh.map(({ member }) => savedSettings(member)),
      conversations: fresh.flatMap(({ member, its, theirs }) => [
        savedConversation(its, member.history),
        savedConversation(theirs),
      ]),
    }
    yield* keepAnswer(open, value)
    return
  }
  const complete = known.agents.length === fresh.length && known.conversations.length === sides.length
  if (!complete || !sameJson(known.names, names)) {
    failRun(run, otherMembers(open.place, known.names, names))
  }
  role.load(known.options)
  for (const [index, { member }] of fresh.entries()) loadProgress(member, known.agents[index]!)
  for (const [index, side] of sides.entries()) loadConversation(side, known.conversations[index]!)
}

const otherMembers = (place: string, had: readonly string[], has: readonly string[]): XError =>
  new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${place}\` there was a group of ${had.join(', ')}, and now there is one of ${has.join(', ')}; start it with the same agents`,
    { details: { place, saved: had, given: has } },
  )

/** Answers open calls, in every history, with what they answered so far, or that they were stopped. */
function closeCalls(manager: string, role: ManagerRole, all: readonly MemberConversation[]): void {
  const answered = all.flatMap(({ its }) => its.answered ?? [])
  const answer = (last: ChatMessage | undefined): ChatMessage | undefined => {
    const message = last && responsesTo(last, answered)
    return message && { ...message, ...(message.role === 'tool' && { name: manager }) }
  }
  const close = (conversation: Conversation, side: 'assistant' | 'user'): void => {
    conversation.answered = null
    const message = answer(conversation.messages.at(-1))
    if (message) appendMessage(conversation, storedMessage(message, side, manager))
  }
  for (const { its, theirs } of all) {
    close(its, 'user')
    close(theirs, 'assistant')
  }
  role.closeCalls(answer)
}
