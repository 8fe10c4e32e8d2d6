import type { Io, LlmConfig, Tool } from '@x/interfaces'
import type { RepeatedProgram } from '@x/records'
import { createSessionAgents, type SessionAgents } from '@x/session'
import { simulatedModel } from '@x/testing'
import { runCodeTool } from './chat-tools.ts'

/** Agents of `x chat`: a parrot with the tools of the chat. */
export const agents = ({
  llmConfig = simulatedModel({ about: 'I am the agent of a file.', pace: 0 }),
  io,
  tools,
}: {
  readonly llmConfig?: LlmConfig
  readonly io: Io
  readonly tools: readonly Tool[]
}): SessionAgents => createSessionAgents({ llmConfig, systemMessage: 'You are a parrot.', io, tools })

/** Runs a recorded turn of the chat again, as `x log test` does. */
const repeat =
  (systemMessage: string): RepeatedProgram =>
  async (options, { message }) => {
    const llmConfig = simulatedModel({ about: 'I am the agent of a file.', pace: 0 })
    const tools = [runCodeTool({ needsApproval: true }).tool]
    const io: Io = { takes: new Set(), send() {}, input: () => 'exit' }
    const { user, assistant } = createSessionAgents({ llmConfig, systemMessage, tools, io })
    return await user.initiateChat(assistant, { message, clearHistory: false, ...options })
  }

export default repeat('You are a parrot.')
export const changed = repeat('You are a cat.')

/** Not a function, which `x reason` needs. */
export const task = 'nothing'
