import type { LlmConfig } from '@x/interfaces'

/** Chooses the simulated model. For a real one return `llmConfig(openai('gpt-5-mini'))`, both of `@x/kit`. */
export function chooseModel(simulated: LlmConfig): LlmConfig {
  console.log('The model is simulated. Choose a real one in src/model.ts.')
  return simulated
}
