import { expect, test } from 'vitest'
import { createGoogle } from './google.ts'

const MODEL = 'gemini-2.5-flash'

const failureOf = async (status: number, body: unknown): Promise<unknown> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const client = createGoogle().createClient({
    model: MODEL,
    apiKey: 'k',
    fetch: async () => new Response(text, { status }),
  })
  try {
    return await client.create({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }, {})
  } catch (error) {
    return error
  }
}

const said = (code: number, status: string, message: string, details?: object[]): object => ({
  error: { code, message, status, ...(details && { details }) },
})

const reason = (word: string): object[] => [
  { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: word, domain: 'googleapis.com' },
]

// Statuses of https://ai.google.dev/gemini-api/docs/troubleshooting and https://cloud.google.com/apis/design/errors.
test.each<[number, unknown, string]>([
  [
    400,
    said(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    ),
    'context-overflow',
  ],
  [
    400,
    said(
      400,
      'INVALID_ARGUMENT',
      'Unable to submit request because the input token count is 135538 but model only supports up to 131072.',
    ),
    'context-overflow',
  ],
  [400, said(400, 'INVALID_ARGUMENT', 'Request payload size exceeds the limit: 20971520 bytes.'), 'context-overflow'],
  [400, said(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.'), 'invalid-request'],
  [400, said(400, 'INVALID_ARGUMENT', 'No key', reason('API_KEY_INVALID')), 'auth'],
  [400, said(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'), 'auth'],
  [401, said(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'), 'auth'],
  [403, said(403, 'PERMISSION_DENIED', 'This API method requires billing', reason('BILLING_DISABLED')), 'quota'],
  [403, said(403, 'PERMISSION_DENIED', 'Not enabled', reason('SERVICE_DISABLED')), 'auth'],
  [404, said(404, 'NOT_FOUND', 'models/gemini-9 is not found for API version v1beta'), 'not-found'],
  [404, '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>', 'not-found'],
  [429, said(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted, please try again later.'), 'rate-limit'],
  [429, said(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.'), 'quota'],
  [499, said(499, 'CANCELLED', 'The operation was cancelled.'), 'server'],
  [500, said(500, 'INTERNAL', 'An internal error has occurred.'), 'server'],
  [503, said(503, 'UNAVAILABLE', 'The model is overloaded.'), 'overloaded'],
  [504, said(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'), 'timeout'],
])('G35: %s %j is %s', async (status, body, kind) => {
  expect(await failureOf(status, body)).toMatchObject({ kind, status })
  // Vertex puts an error into a list.
  if (typeof body === 'object') expect(await failureOf(status, [body])).toMatchObject({ kind, status })
})
