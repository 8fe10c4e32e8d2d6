import type { Dialect } from '@x/provider-kit'
import type { OpenAIKeys } from './config.ts'
import { familyOf } from './family.ts'
import { ID_RULE, lowerMessages } from './lower-messages.ts'
import { lowerParams } from './lower-params.ts'
import { createReader } from './read-answer.ts'

/** Makes the wire format of chat completions, and of the older endpoint for prompts. */
export function createDialect({ reasoningModel }: OpenAIKeys, thinkTags: boolean): Dialect {
  return {
    provider: 'openai',
    ids: ID_RULE,
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: () => ({ streaming: true }),
    lower(params, context) {
      const { model, names } = context
      const family = familyOf(model, reasoningModel)
      const body = lowerParams(params, context, family)
      const messages =
        'prompt' in body ? {} : { messages: lowerMessages(params.messages, { systemRole: family.systemRole, names }) }
      return { model, body: { ...body, ...messages }, reader: () => createReader({ names, thinkTags }) }
    },
    reader: () => createReader({ names: { to: (name) => name, from: (name) => name }, thinkTags }),
  }
}
