import type { Agent, ChatOptions, ChatResult, Reply } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { initiateChat as chatOf } from '../chat/chat.steps.ts'
import { stateOf } from '../memory/state.ts'
import type { ReplyRequest } from '../options/operations.ts'
import type { ReplyAdditions } from '../options/reply-additions.ts'
import { generateReply as replyOf, generateReplyWith } from '../reply/generate-reply.steps.ts'

/** A chat of two as steps, from its first message to its summary and cost. */
export const initiateChat = (initiator: Agent, recipient: Agent, options: ChatOptions = {}): Steps<ChatResult> =>
  chatOf(initiator, recipient, options)

/**
 * Asks the reply functions of an agent in order, as steps; gives the reply, or null when the chat is to end. Additions
 * hold for this reply alone, and are not seen by other chats of the agent.
 */
export const generateReply = (agent: Agent, request: ReplyRequest, additions?: ReplyAdditions): Steps<Reply | null> =>
  additions ? generateReplyWith(stateOf(agent), request, additions) : replyOf(stateOf(agent), request)
