import type { ConfigEntry } from '@x/interfaces'
import { expect, test } from 'vitest'
import { createAnthropic } from './anthropic.ts'

const failureOf = async (status: number, body: unknown): Promise<unknown> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const entry: ConfigEntry = {
    model: 'claude-haiku-4-5',
    apiKey: 'k',
    fetch: async () => new Response(text, { status }),
  }
  const client = createAnthropic().createClient(entry)
  try {
    return await client.create({ model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'Hi' }] }, {})
  } catch (error) {
    return error
  }
}

const said = (type: string, message: string): object => ({ type: 'error', error: { type, message } })

// Types and texts of https://platform.claude.com/docs/en/api/errors, and what users have reported.
test.each<[number, unknown, string]>([
  [400, said('invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum'), 'context-overflow'],
  [
    400,
    said('invalid_request_error', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
    'context-overflow',
  ],
  [413, said('request_too_large', 'Request exceeds the maximum size'), 'context-overflow'],
  [413, '<html><h1>413 Request Entity Too Large</h1></html>', 'context-overflow'],
  [429, said('rate_limit_error', 'Extra usage is required for long context requests.'), 'context-overflow'],
  // By Bedrock.
  [400, { message: 'Input is too long for requested model.' }, 'context-overflow'],
  [400, { message: 'The provided model identifier is invalid.' }, 'not-found'],
  [429, { message: 'Too many tokens, please wait before trying again.' }, 'rate-limit'],
  // By Vertex.
  [429, { error: { code: 429, message: 'Resource exhausted', status: 'RESOURCE_EXHAUSTED' } }, 'rate-limit'],
  [
    400,
    said('invalid_request_error', 'max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens'),
    'invalid-request',
  ],
  [400, said('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'), 'quota'],
  [400, said('invalid_request_error', 'You have reached your specified API usage limits.'), 'quota'],
  [400, said('invalid_request_error', 'This organization has been disabled.'), 'auth'],
  [400, said('invalid_request_error', 'Output blocked by content filtering policy'), 'content-filter'],
  [401, said('authentication_error', 'invalid x-api-key'), 'auth'],
  [402, said('billing_error', 'Check your payment details'), 'quota'],
  [403, said('permission_error', 'Your API key may not use this resource'), 'auth'],
  [404, said('not_found_error', 'model: claude-9'), 'not-found'],
  [429, said('rate_limit_error', 'Number of request tokens has exceeded your per-minute rate limit'), 'rate-limit'],
  [500, said('api_error', 'Internal server error'), 'server'],
  [504, said('timeout_error', 'The request timed out while processing'), 'timeout'],
  [503, 'upstream connect error', 'overloaded'],
  [529, said('overloaded_error', 'Overloaded'), 'overloaded'],
])('A41: %s %j is %s', async (status, body, kind) => {
  expect(await failureOf(status, body)).toMatchObject({ kind, status })
})

test('without a key nothing is sent; the error of a key function is told', async () => {
  const failed = async (apiKey: () => string): Promise<unknown> => {
    const client = createAnthropic().createClient({ model: 'm', apiKey, fetch: async () => Response.json({}) })
    try {
      return await client.create({ messages: [{ role: 'user', content: 'Hi' }] }, {})
    } catch (error) {
      return error
    }
  }
  const missing = await failed(() => '')
  expect(missing).toMatchObject({ kind: 'auth', message: expect.stringContaining('no API key') as string })
  expect(missing).not.toHaveProperty('status', 401)
  const sealed = (): never => {
    throw new Error('the vault is sealed: no api key')
  }
  expect(await failed(sealed)).toMatchObject({ message: expect.stringContaining('the vault is sealed') as string })
})
