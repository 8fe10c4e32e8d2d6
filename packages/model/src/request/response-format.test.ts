import type { ModelCapabilities } from '@x/interfaces'
import { expect, test } from 'vitest'
import type { PreparedRequest } from './prepare-request.ts'
import { withAnswerSchema } from './response-format.ts'

const tools = [{ type: 'function' as const, function: { name: 'add', parameters: {} } }]
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

test.each<[what: string, can: ModelCapabilities | undefined, withTools: boolean, isSent: boolean]>([
  ['nothing is known', undefined, false, false],
  ['it is not known to take one', { structuredOutput: 'json' }, false, false],
  ['it takes one', { structuredOutput: 'schema' }, false, true],
  ['it takes one, and there are tools', { structuredOutput: 'schema' }, true, false],
  ['it takes one beside tools', { structuredOutput: 'schema', structuredOutputWithTools: true }, true, true],
])('a model is told the shape of the answer where %s', (_, can, withTools, isSent) => {
  const prepared = { params: { messages: [], ...(withTools && { tools }) }, fixed: true } as unknown as PreparedRequest
  const { params, fixed } = withAnswerSchema(prepared, schema, can)
  expect([params.response_format !== undefined, fixed]).toEqual([isSent, !isSent])
})
