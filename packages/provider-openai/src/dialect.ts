import type { ConfigEntry } from '@x/interfaces'
import type { Dialect } from '@x/provider-kit'
import { familyOf } from './family.ts'
import { ID_RULE, lowerMessages } from './lower-messages.ts'
import { lowerParams } from './lower-params.ts'
import { createReader } from './read-answer.ts'

/** The wire format of chat completions, and of the older endpoint for prompts. */
export function dialectFor(config: ConfigEntry): Dialect {
  return {
    provider: 'openai',
    ids: ID_RULE,
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: () => ({ streaming: true }),
    lower(params, { model, names, warn }) {
      const family = familyOf(model, config['reasoningModel'] as boolean | undefined)
      const body = lowerParams({ ...params, model }, family, names, warn)
      const isPrompt = params['prompt'] !== undefined
      const messages = isPrompt ? {} : { messages: lowerMessages(params.messages, family.reasoning, names) }
      return { model, body: { ...body, ...messages }, reader: () => createReader(names) }
    },
    reader: () => createReader({ to: (name) => name, from: (name) => name }),
  }
}
