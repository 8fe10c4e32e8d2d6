import { isRecord, type AnswerReader, type Dialect } from '@x/provider-kit'
import type { OpenAIKeys } from '../config.ts'
import type { NamedProfile } from '../endpoint-profile.ts'
import { familyOf } from '../family.ts'
import { idRule, lowerMessages } from './lower-messages.ts'
import { optionNames } from '../refused-params.ts'
import { lowerParams } from './lower-params.ts'
import { createReader } from './read-answer.ts'
import { resultMediaRule } from '../result-media.ts'

/** Makes the wire format of chat completions, and of the older endpoint for prompts. */
export function createDialect({ reasoningModel, toolImages }: OpenAIKeys, profile: NamedProfile): Dialect {
  return {
    provider: 'openai',
    optionNames: optionNames(profile),
    ids: idRule(profile),
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: (model) => ({
      streaming: true,
      ...(familyOf(model, reasoningModel).structured && {
        structuredOutput: 'schema',
        structuredOutputWithTools: true,
      }),
    }),
    lower(params, context) {
      const { model, names, abilities, warn } = context
      const family = familyOf(model, reasoningModel)
      const body = lowerParams(params, context, { family, profile })
      const { systemRole: role } = family
      const systemRole = profile.systemRole === 'system' && role === 'developer' ? 'system' : role
      const withTools = body['tools'] !== undefined || params.messages.some(({ tool_calls: calls }) => calls?.length)
      const takesInResult = resultMediaRule('chat', { toolImages }, profile, abilities)
      const facts = { systemRole, names, profile, model, withTools, takesInResult, warn }
      const messages = 'prompt' in body ? {} : { messages: lowerMessages(params.messages, facts) }
      const { audio } = body
      const audioFormat = isRecord(audio) ? audio['format'] : undefined
      const reader = (): AnswerReader => createReader({ names, profile, model, audioFormat })
      return { model, body: { ...body, ...messages }, reader }
    },
    reader: () => createReader({ names: { to: (name) => name, from: (name) => name }, profile, model: '' }),
  }
}
