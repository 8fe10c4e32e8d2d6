import type { ChatMessage, Hooks, RunContext } from '@x/interfaces'
import { XError } from '@x/kernel'
import { fillTemplate } from '../memory/text.ts'
import type { AgentAttributes } from './attributes.ts'

/** Makes a system message: a template of context variables, as in `Hello {name}`, or a function. */
export type SystemMessageUpdater =
  | string
  // The type of a method, so that a function may name the class of its agent.
  | { call(agent: AgentAttributes, messages: readonly ChatMessage[]): string }['call']

/** Renews an agent's system message before each reply. */
export class UpdateSystemMessage {
  readonly contentUpdater: SystemMessageUpdater

  constructor(contentUpdater: SystemMessageUpdater) {
    if (typeof contentUpdater !== 'string' && typeof contentUpdater !== 'function') {
      throw new XError(
        'invalid-argument',
        `a system message is made of a template or a function, not a ${typeof contentUpdater}`,
      )
    }
    this.contentUpdater = contentUpdater
  }

  /** The hook that renews the system message. */
  hook(): Hooks['updateAgentState'] {
    return (agent: AgentAttributes, messages: readonly ChatMessage[], { contextVariables }: RunContext) => {
      const updater = this.contentUpdater
      // The variables of the chat go before those of the agent.
      const valueOf = (name: string): unknown => contextVariables?.get(name) ?? agent.getContext(name)
      agent.updateSystemMessage(typeof updater === 'string' ? fillTemplate(updater, valueOf) : updater(agent, messages))
    }
  }
}
