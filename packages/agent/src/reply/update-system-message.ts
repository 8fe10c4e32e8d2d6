import type { ChatMessage, Hooks } from '@x/interfaces'
import { XError } from '@x/kernel'
import { textOfResult } from '../tool/result-text.ts'
import type { ConversableAgent } from '../conversable-agent.ts'

/** Makes a system message: a template of context variables, as in `Hello {name}`, or a function. */
export type SystemMessageUpdater = string | ((agent: ConversableAgent, messages: readonly ChatMessage[]) => string)

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
    return (agent: ConversableAgent, messages: readonly ChatMessage[]) => {
      const updater = this.contentUpdater
      agent.updateSystemMessage(
        typeof updater === 'string' ? filled(updater, (name) => agent.getContext(name)) : updater(agent, messages),
      )
    }
  }
}

/** A template with its names replaced; a name without a value stays as it is. */
export function filled(template: string, valueOf: (name: string) => unknown): string {
  return template.replaceAll(/\{\{|\}\}|\{(\w+)\}/gu, (match, name: string | undefined) => {
    if (name === undefined) return match[0]!
    const value = valueOf(name)
    return value === null || value === undefined ? match : textOfResult(value)
  })
}
