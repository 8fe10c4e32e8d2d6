import { ConversableAgent, type ConversableAgentOptions } from '@x/agent'
import { stepsReply } from '@x/agent/steps'
import type { Agent, ChatMessage, ReplyOutcome } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { Group } from '../group/group.ts'

/** Answers a message by a run. */
type RunMessage = (sender: Agent, message: ChatMessage) => Steps<ReplyOutcome>

/** The manager of one run of a pattern. */
export class PatternManager extends ConversableAgent {
  /** The group, as a manager that is a member of it finds it. */
  groupchat: Group | null = null
  /** Whether its run has ended. */
  isOver = false

  constructor({ name = 'chat_manager', ...options }: Partial<ConversableAgentOptions>, run: RunMessage) {
    super({
      maxConsecutiveAutoReply: Number.MAX_SAFE_INTEGER,
      humanInputMode: 'NEVER',
      systemMessage: 'Group chat manager.',
      ...options,
      // Whether messages are shown is a matter of the run.
      silent: null,
      name,
    })
    const reply = stepsReply('runChat', (_agent, { messages, sender }) => run(sender!, messages.at(-1)!))
    this.registerReply([ConversableAgent, null], reply)
  }
}

/** An agent that stands for chats or a group in one run. */
export class StandInAgent extends ConversableAgent {
  /** Whether its run has ended. */
  isOver = false
}
