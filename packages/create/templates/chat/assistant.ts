import type { LlmConfig } from '@x/interfaces'
import { createAgent, tool } from '@x/kit'
import { z } from 'zod'

/** An example: put your own tools in its place. */
const weather = tool({
  name: 'weather',
  description: 'The weather of a city today.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `light rain and 6 degrees in ${city}`,
})

/** Makes the agent that answers; a test gives it a model that plays a script. */
export const createAssistant = (model: LlmConfig) =>
  createAgent({ name: 'assistant', model, instructions: 'You are a helpful assistant. Be brief.', tools: weather })
