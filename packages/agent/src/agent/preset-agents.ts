import type { Agent, ChatMessage, HumanInputMode } from '@x/interfaces'
import { stateOf } from '../memory/state.ts'
import {
  ASSISTANT_SYSTEM_MESSAGE,
  contentText,
  saysTerminate,
  TERMINATION_REQUEST,
  TERMINATION_WORD,
} from '../data/message.ts'
import { checkAgentOptions } from './new-agent.ts'
import { ConversableAgent } from './conversable-agent.ts'
import type { ConversableAgentOptions } from './options.ts'

/** Description of an assistant with the default system message. */
const ASSISTANT_DESCRIPTION = 'A general-purpose assistant with strong language, Python and Linux command-line skills.'

/** An agent that solves tasks with a model; by default it asks no human and runs no code. */
export class AssistantAgent extends ConversableAgent {
  /** Default system message. */
  static readonly DEFAULT_SYSTEM_MESSAGE: string = ASSISTANT_SYSTEM_MESSAGE
  /** Description of an assistant with the default system message. */
  static readonly DEFAULT_DESCRIPTION: string = ASSISTANT_DESCRIPTION

  constructor(options: ConversableAgentOptions) {
    checkAgentOptions(options)
    const { systemMessage = ASSISTANT_SYSTEM_MESSAGE, humanInputMode = 'NEVER', description } = options
    const own = systemMessage === ASSISTANT_SYSTEM_MESSAGE ? ASSISTANT_DESCRIPTION : undefined
    super({ ...options, systemMessage, humanInputMode, description: description ?? own })
  }
}

/** Descriptions of a user proxy for others, by when it asks its human. */
const USER_PROXY_DESCRIPTIONS: Readonly<Record<HumanInputMode, string>> = {
  ALWAYS: 'An attentive human user who answers questions about the task and can run code and report what it printed.',
  TERMINATE: 'A user who runs Python code and Linux commands and reports what they printed.',
  NEVER: 'A terminal that runs the Python and shell scripts it is given in fenced blocks, and does nothing else.',
}

/**
 * An agent that stands for a user: it asks its human, executes tools and code, and by default has no model. Without an
 * `isTerminationMsg` of its own it also ends a chat at a message that ends with `TERMINATE`, if the system message of the
 * other agent asks for that word, as the default one of an assistant does.
 */
export class UserProxyAgent extends ConversableAgent {
  /** Descriptions of a user proxy for others, by when it asks its human. */
  static readonly DEFAULT_USER_PROXY_AGENT_DESCRIPTIONS: Readonly<Record<HumanInputMode, string>> =
    USER_PROXY_DESCRIPTIONS

  constructor(options: ConversableAgentOptions) {
    checkAgentOptions(options)
    const { humanInputMode = 'ALWAYS', systemMessage = '', llmConfig = false, description } = options
    super({
      ...options,
      humanInputMode,
      systemMessage,
      llmConfig,
      description: description ?? USER_PROXY_DESCRIPTIONS[humanInputMode],
    })
    if (!options.isTerminationMsg) stateOf(this).isTerminationMsg = endsForUser
  }
}

/**
 * Whether a message ends a chat for an agent that stands for a user: it says so, or it ends with the word that the system
 * message of its sender asks for by the default sentence.
 */
function endsForUser(message: ChatMessage, sender: Agent | null): boolean {
  if (saysTerminate(message)) return true
  if (!contentText(message).trimEnd().endsWith(TERMINATION_WORD)) return false
  const system = sender ? stateOf(sender)?.systemMessage.content : null
  return typeof system === 'string' && system.includes(TERMINATION_REQUEST)
}
