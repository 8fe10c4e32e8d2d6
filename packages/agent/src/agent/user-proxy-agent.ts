import type { HumanInputMode } from '@x/interfaces'
import { stateOf } from '../memory/state.ts'
import { endsForUser } from '../memory/termination.ts'
import { checkAgentOptions } from './agent-options.ts'
import { ConversableAgent } from './conversable-agent.ts'
import type { ConversableAgentOptions } from './options.ts'

/** What others are told of a user proxy, by when it asks its human. */
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
  /** What others are told of a user proxy, by when it asks its human. */
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
