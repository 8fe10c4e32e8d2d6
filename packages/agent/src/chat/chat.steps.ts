import type { ChatOptions, ChatResult, TerminationReason } from '@x/interfaces'
import { face, isXError, XError, type Steps } from '@x/kernel'
import { beginIn, endIn } from './chat-cache.ts'
import type { ConversableAgent } from '../conversable-agent.ts'
import { entered, inChat } from '../resume/entered.steps.ts'
import { firstMessage } from './first-message.steps.ts'
import { generateReply } from '../reply/generate-reply.steps.ts'
import { DEFAULT_SUMMARY_METHOD } from '../limits.ts'
import { withoutOpenCalls } from '../tool/open-calls.steps.ts'
import { asyncReplies } from '../reply/reply-list.ts'
import { scopeOf } from '../resume/scope.ts'
import { send } from './send.steps.ts'
import { conversationWith, stateOf, type Conversation, type State } from '../state/state.ts'
import { checkSummary, summarized } from './summary.steps.ts'
import { gatheredUsage } from '../state/usage.ts'

/** What a chat is started with. */
export type ChatWishes = Omit<ChatOptions, 'signal' | 'emit'>

/** A chat of two from its first message to its summary (spec, rule 11), in a scope of its own. */
export function* initiateChat(
  initiator: ConversableAgent,
  recipient: ConversableAgent,
  wishes: ChatWishes = {},
  place?: string,
): Steps<ChatResult> {
  const sides = [stateOf(initiator), checkedParty(initiator, recipient)] as const
  return yield* inChat(wishes, chat(sides, wishes), place)
}

/** The chat itself, in the scope that {@link inChat} gives it. */
export function* chat([self, other]: readonly [State, State], wishes: ChatWishes): Steps<ChatResult> {
  const { maxTurns = null, clearHistory = true, cache = null } = wishes
  const summary = {
    method: wishes.summaryMethod === undefined ? DEFAULT_SUMMARY_METHOD : wishes.summaryMethod,
    args: { ...(cache && { cache }), ...wishes.summaryArgs },
  }
  checkSummary(self, other, summary)
  const run = yield* face()
  if (run.face === 'sync') refuseAsync([self, other])
  yield* entered([self, other], wishes)
  const [own, theirs] = [conversationWith(self, other.agent), conversationWith(other, self.agent)]
  const sides = [own, theirs]
  const underWay = scopeOf(run)?.chat ?? { cache }
  underWay.cache = cache
  let text: ChatResult['summary'] = ''
  let end: TerminationReason | null = null
  try {
    for (const side of sides) beginIn(side, underWay)
    prepare(sides, { clearHistory, replyAtReceive: maxTurns === null })
    if (clearHistory) for (const side of [self, other]) side.humanInput = []
    const both = (): [State, Conversation][] => [
      [self, own],
      [other, theirs],
    ]
    const talk = (function* () {
      if (yield* exchanged(self, other.agent, wishes, own)) end = 'max-turns'
      return yield* summarized(self, other.agent, summary)
    })()
    text = yield* withoutOpenCalls(both, talk)
  } catch (error) {
    end = own.ended = yield* endOf(error, wishes)
  } finally {
    for (const side of sides) endIn(side, underWay)
  }
  const usedUp = scopeOf(run)?.budget?.usedUp ?? false
  return {
    chatId: null,
    chatHistory: [...own.messages],
    summary: text,
    cost: gatheredUsage([self, other]),
    humanInput: [...own.humanInput],
    terminationReason: usedUp && end !== 'suspended' ? 'budget' : (own.ended ?? theirs.ended ?? end ?? 'no-reply'),
  }
}

/** How an error ends a chat: a budget that is used up ends it, and an approval that is pending the outermost one. */
function* endOf(error: unknown, { journal }: ChatWishes): Steps<TerminationReason> {
  if (isXError(error, 'budget-exceeded')) {
    yield { type: 'warning', topic: 'budget', text: error.message }
    return 'budget'
  }
  if (journal && isXError(error, 'suspended')) return 'suspended'
  throw error
}

/** Carries the messages; true when the agreed number of turns was used up. */
function* exchanged(
  self: State,
  recipient: ConversableAgent,
  wishes: ChatWishes,
  conversation: Conversation,
): Steps<boolean> {
  const { maxTurns = null, silent = false } = wishes
  if (maxTurns === null) {
    const message = yield* firstMessage(self, recipient, wishes, conversation)
    if (message !== null) yield* send(self.agent, message, recipient, { silent })
    return false
  }
  for (let turn = 0; turn < maxTurns; turn++) {
    const message =
      turn === 0
        ? yield* firstMessage(self, recipient, wishes, conversation)
        : yield* generateReply(self, { sender: recipient })
    if (message === null) return false
    yield* send(self.agent, message, recipient, { requestReply: true, silent })
  }
  return true
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
    side.humanInput = []
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

function checkedParty(initiator: ConversableAgent, recipient: ConversableAgent | undefined): State {
  const state = recipient && stateOf(recipient)
  if (state) return state
  throw new XError('invalid-argument', `the chat of \`${initiator.name}\` has no recipient: give an agent`)
}
