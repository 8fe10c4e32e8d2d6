import type { Io, LlmConfig, Tool } from '@x/interfaces'
import { createSessionAgents, type SessionAgents } from '@x/session'
import { simulatedModel } from '@x/testing'

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

/** Not a function, which `x reason` needs. */
export const task = 'nothing'
