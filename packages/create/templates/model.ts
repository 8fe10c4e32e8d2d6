import type { LlmConfig } from '@x/interfaces'
import { llmConfig, openai } from '@x/kit'

/** Chooses OpenAI's model where there is a key; without one the simulated model stands in, and the program says so. */
export function chooseModel(simulated: LlmConfig): LlmConfig {
  if (process.env.OPENAI_API_KEY) return llmConfig(openai('gpt-5-mini'))
  console.log('The model is simulated. Set OPENAI_API_KEY to ask gpt-5-mini.')
  return simulated
}
