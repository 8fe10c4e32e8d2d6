import type { Agent, ChatOptions, ChatResult, Run, TerminationReason } from '@x/interfaces'
import {
  type ActiveChat,
  addChat,
  type Conversation,
  NONE,
  openConversation,
  ownConversations,
  removeChat,
  snapshotOf,
  type State,
  stateOf,
} from '../memory/state.ts'
import { currentRun, isXError, XError, type Steps } from '@x/kernel'
import { DEFAULT_SUMMARY_METHOD, MAX_MESSAGES } from '../options/operations.ts'
import { gatheredUsage, membersOf } from '../memory/usage.ts'
import { replyInRun } from '../reply/reply.steps.ts'
import { asyncReplies } from '../reply/reply-list.ts'
import type { Scope } from '../run/scope.ts'
import { withSilence, withSpan } from '../run/within.steps.ts'
import { beginChat } from './begin-chat.steps.ts'
import { firstMessage } from './first-message.steps.ts'
import { type MemberConversation, memberConversations, occupy } from './members.steps.ts'
import { withoutOpenCalls } from './open-calls.steps.ts'
import { sendInChat } from './send.steps.ts'
import { checkSummary, summarize, summaryMessages } from './summary.steps.ts'
import { inChat } from './with-scope.steps.ts'

/** Facts of a chat beside its options, from the steps that start it. */
interface ChatStart {
  /** A place that was taken for it. */
  readonly place?: string | undefined
  /** Gives it conversations of its own when the agents are in a chat already; default false. */
  readonly ownIfBusy?: boolean | undefined
}

/** A chat of two from its first message to its summary, in a scope of its own. */
export function initiateChat(
  initiator: Agent,
  recipient: Agent,
  options: ChatOptions = {},
  { place, ownIfBusy = false }: ChatStart = {},
): Steps<ChatResult> {
  const sides = [stateOf(initiator), checkedState(initiator, recipient)] as const
  return inChat(options, (scope, active) => chat({ scope, active }, sides, options, { ownIfBusy }), place)
}

/** A chat in the scope that {@link inChat} makes for it. */
export interface OpenChat {
  readonly scope: Scope
  readonly active: ActiveChat
}

/** Where a chat keeps its messages. */
interface ConversationChoice {
  /** In conversations of its own when the agents are in a chat already; default false. */
  readonly ownIfBusy?: boolean | undefined
  /** Whether in conversations of its own, where that was decided before. */
  readonly keepsOwn?: boolean | undefined
}

/** The chat itself. */
export function* chat(
  open: OpenChat,
  [self, other]: readonly [State, State],
  options: ChatOptions,
  choice: ConversationChoice = {},
): Steps<ChatResult> {
  const { scope } = open
  const details = { type: 'chat', agent: self.name, recipient: other.name } as const
  return yield* withSpan(
    scope,
    yield* currentRun(),
    {
      id: `${scope.place}.chat`,
      details,
      resumed: scope.isPast,
      atEnd: (result) => ({ terminationReason: result?.terminationReason ?? null }),
      outcome: ({ terminationReason }) => (terminationReason === 'suspended' ? 'suspended' : 'ok'),
    },
    conduct(open, [self, other], options, choice),
  )
}

function* conduct(
  { scope, active }: OpenChat,
  [self, other]: readonly [State, State],
  options: ChatOptions,
  choice: ConversationChoice,
): Steps<ChatResult> {
  const { maxTurns = null, clearHistory = true, cache = null } = options
  const summary = {
    method: options.summaryMethod === undefined ? DEFAULT_SUMMARY_METHOD : options.summaryMethod,
    args: { ...(cache && { cache }), ...options.summaryArgs },
  }
  checkSummary(self, other, summary)
  const run = yield* currentRun()
  if (run.face === 'sync') refuseAsync([self, other, ...membersOf([self, other])])
  active.cache = cache
  const { keepsOwn = hasOwnConversations([self, other], active, options, choice.ownIfBusy) } = choice
  const managed = memberConversations([self, other], active, keepsOwn)
  if (keepsOwn) active.own = ownConversations(self, other, active.own)
  const own = openConversation(self, other.agent, active)
  const theirs = openConversation(other, self.agent, active)
  const sides = [own, theirs]
  yield* beginChat([self, other], options)
  let text: ChatResult['summary'] = ''
  let end: TerminationReason | null = null
  const release = occupy(managed, active)
  try {
    for (const side of sides) addChat(side, active)
    prepare(sides, { clearHistory, replyAtReceive: maxTurns === null })
    prepareMembers(managed, { clearHistory, replyAtReceive: maxTurns === null })
    if (clearHistory && !keepsOwn) for (const side of [self, other]) clearAgent(side)
    const opening = summaryMessages(other, self.agent, active, summary.method).length
    const both = (): [State, Conversation][] => [
      [self, own],
      [other, theirs],
    ]
    const said = { sides: [self, other], conversation: own, summary: { ...summary, opening } } as const
    const talked = yield* withoutOpenCalls(both, talk(said, options, run))
    text = talked.summary
    end = talked.end
  } catch (error) {
    end = own.ended = yield* withSilence(self.silent, endOf(self, error, options))
  } finally {
    for (const side of sides) removeChat(side, active)
    release()
  }
  const usedUp = scope.budget?.usedUp ?? false
  return {
    chatId: null,
    chatHistory: snapshotOf(own),
    summary: text,
    cost: gatheredUsage([self, other]),
    humanInput: own.humanInput,
    terminationReason: usedUp && end !== 'suspended' ? 'budget' : (own.ended ?? theirs.ended ?? end ?? 'no-reply'),
  }
}

/** The messages of a chat, and their summary at the end. */
function* talk(
  { sides, conversation, summary }: Talk,
  options: ChatOptions,
  run: Run,
): Steps<{ readonly summary: ChatResult['summary']; readonly end: TerminationReason | null }> {
  const [self, other] = sides
  const end = (yield* exchange(sides, options, conversation, run)) ? 'max-turns' : null
  return { summary: yield* withSilence(self.silent, summarize(self, other.agent, summary)), end }
}

interface Talk {
  readonly sides: readonly [State, State]
  /** That of the first side. */
  readonly conversation: Conversation
  readonly summary: Parameters<typeof summarize>[2]
}

/** Whether a chat is to have conversations of its own; a second chat in the same conversations is refused. */
export function hasOwnConversations(
  [self, other]: readonly [State, State],
  active: ActiveChat | null,
  { conversation, clearHistory = true, summaryMethod }: ChatOptions,
  ownIfBusy = false,
): boolean {
  if (conversation === 'own') return true
  const sides = [openConversation(self, other.agent, active), openConversation(other, self.agent, active)]
  if (sides.every(({ chats }) => !chats)) return false
  // A function for the summary may read the histories of the agents.
  if (ownIfBusy && clearHistory && typeof summaryMethod !== 'function') return true
  throw busy(self, other)
}

/** The error for a second chat of a pair, which would read what is said in the first. */
const busy = (self: State, other: State): XError =>
  new XError(
    'conversation-busy',
    `a chat of \`${self.name}\` with \`${other.name}\` was started while another of the two is under way, and they would read each other's messages: give it \`{ conversation: 'own' }\`, which keeps its messages in its result only, or wait for the end of the other`,
    { details: { agents: [self.name, other.name] } },
  )

/** How an error ends a chat: a budget that is used up ends it, and an approval that is pending the outermost one. */
function* endOf({ name }: State, error: unknown, { journal }: ChatOptions): Steps<TerminationReason> {
  if (isXError(error, 'budget-exceeded')) {
    yield { type: 'warning', agent: name, topic: 'budget', text: error.message }
    return 'budget'
  }
  if (journal && isXError(error, 'suspended')) return 'suspended'
  throw error
}

/** Carries the messages; true when the agreed number of turns was used up. */
function* exchange(
  sides: readonly [State, State],
  options: ChatOptions,
  conversation: Conversation,
  run: Run,
): Steps<boolean> {
  const { maxTurns = null, silent = false } = options
  const [self, { agent: recipient }] = sides
  if (maxTurns === null) {
    const message = yield* firstMessage(self, recipient, options, conversation)
    if (message !== null) {
      yield* sendInChat(sides, message, { silent, maxMessages: ceiling(sides, options) }, run)
    }
    return false
  }
  for (let turn = 0; turn < maxTurns; turn++) {
    const message =
      turn === 0
        ? yield* firstMessage(self, recipient, options, conversation)
        : yield* replyInRun(self, { sender: recipient }, run)
    if (message === null) return false
    yield* sendInChat(sides, message, { requestReply: true, silent }, run)
  }
  return true
}

/** The most messages of a chat; none where an agent has a limit of its own. */
function ceiling(sides: readonly State[], { maxMessages = MAX_MESSAGES }: ChatOptions): number | undefined {
  return sides.some(({ limitsAutoReplies }) => limitsAutoReplies) ? undefined : maxMessages
}

function prepareMembers(
  managed: readonly MemberConversation[],
  preparation: { clearHistory: boolean; replyAtReceive: boolean },
): void {
  prepare(
    managed.map(({ its }) => its),
    preparation,
  )
  if (preparation.clearHistory) for (const { theirs } of managed) theirs.messages = []
}

/** Forgets what an agent keeps beside its conversations. */
function clearAgent(state: State): void {
  state.humanInput = NONE
  state.managerRole?.clear()
}

function prepare(
  sides: readonly Conversation[],
  { clearHistory, replyAtReceive }: { clearHistory: boolean; replyAtReceive: boolean },
): void {
  for (const side of sides) {
    side.autoReplies = 0
    side.replyAtReceive = replyAtReceive
    side.begun = true
    side.ended = null
    if (!clearHistory) continue
    side.messages = []
    side.humanInput = NONE
  }
}

function refuseAsync(states: readonly State[]): void {
  for (const { agent, replies } of states) {
    const names = asyncReplies(replies)
    if (names.length === 0) continue
    throw new XError(
      'async-in-sync',
      `\`${agent.name}\` has async reply functions (${names.join(', ')}) and the chat is blocking: use \`initiateChat\`, or register them with \`ignoreAsyncInSyncChat\``,
      { details: { agent: agent.name, replyFunctions: names } },
    )
  }
}

function checkedState(initiator: Agent, recipient: Agent | undefined): State {
  const state = recipient && stateOf(recipient)
  if (state) return state
  throw new XError('invalid-argument', `the chat of \`${initiator.name}\` has no recipient: give an agent`)
}
