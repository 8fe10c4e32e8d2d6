import type { ChatOptions, ChatResult, TerminationReason } from '@x/interfaces'
import { face, XError, type Steps } from '@x/kernel'
import type { ConversableAgent } from './conversable-agent.ts'
import { firstMessage } from './first-message.steps.ts'
import { generateReply } from './generate-reply.steps.ts'
import { DEFAULT_SUMMARY_METHOD } from './limits.ts'
import { asyncReplies } from './reply-list.ts'
import { send } from './send.steps.ts'
import { conversationWith, stateOf, type Conversation, type State } from './state.ts'
import { checkSummary, summarized } from './summary.steps.ts'
import { gatheredUsage } from './usage.ts'

/** What a chat is started with. */
export type ChatWishes = Omit<ChatOptions, 'signal' | 'emit'>

/** A chat of two from its first message to its summary (spec, rule 11). */
export function* initiateChat(
  initiator: ConversableAgent,
  recipient: ConversableAgent,
  wishes: ChatWishes = {},
): Steps<ChatResult> {
  const [self, other] = [stateOf(initiator), checkedParty(initiator, recipient)]
  const { maxTurns = null, clearHistory = true, cache = null } = wishes
  const summary = {
    method: wishes.summaryMethod === undefined ? DEFAULT_SUMMARY_METHOD : wishes.summaryMethod,
    args: { ...(cache && { cache }), ...wishes.summaryArgs },
  }
  checkSummary(self, other, summary)
  if ((yield* face()).face === 'sync') refuseAsync([self, other])
  const sides = [conversationWith(self, recipient), conversationWith(other, initiator)] as const
  const before = sides.map((side) => side.cache)
  try {
    for (const side of sides) side.cache = cache
    prepare(sides, { clearHistory, replyAtReceive: maxTurns === null })
    if (clearHistory) self.humanInput = []
    const turnsUsedUp = yield* exchanged(self, recipient, wishes, sides[0])
    const text = yield* summarized(self, recipient, summary)
    const [own, theirs] = sides
    return {
      chatId: null,
      chatHistory: [...own.messages],
      summary: text,
      cost: gatheredUsage([self, other]),
      humanInput: [...own.humanInput],
      terminationReason: reason(own, theirs, turnsUsedUp),
    }
  } finally {
    for (const [index, side] of sides.entries()) side.cache = before[index] ?? null
  }
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

const reason = (own: Conversation, theirs: Conversation, turnsUsedUp: boolean): TerminationReason =>
  own.ended ?? theirs.ended ?? (turnsUsedUp ? 'max-turns' : 'no-reply')

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
