import { expect, test } from 'vitest'
import { kindOf, type Refusal } from './kind.ts'

test.each<[Refusal, string]>([
  [{ status: 400, code: 'content_filter' }, 'content-filter'],
  [
    { status: 400, message: "The response was filtered due to Azure OpenAI's content management policy" },
    'content-filter',
  ],
  [{ status: 400, code: 'context_length_exceeded' }, 'context-overflow'],
  [{ status: 400, message: "This model's maximum context length is 8192 tokens" }, 'context-overflow'],
  [{ status: 429, code: 'insufficient_quota' }, 'quota'],
  [{ status: 402 }, 'quota'],
  [{ status: 429 }, 'rate-limit'],
  [{ status: 503 }, 'overloaded'],
  [{ status: 529, type: 'overloaded_error' }, 'overloaded'],
  [{ status: 500, message: 'content_filter crashed' }, 'server'],
  [{ status: 401, message: 'rate_limit of your key' }, 'auth'],
  [{ status: 403 }, 'auth'],
  [{ status: 404 }, 'not-found'],
  [{ status: 408 }, 'timeout'],
  [{ status: 409 }, 'server'],
  [{ status: 422 }, 'invalid-request'],
  [{ type: 'overloaded_error' }, 'overloaded'],
  [{ type: 'authentication_error' }, 'auth'],
  [{ type: 'invalid_request_error', message: 'no' }, 'invalid-request'],
  [{ code: 500, message: 'boom' }, 'server'],
  [{}, 'server'],
])('%j', (refusal, kind) => expect(kindOf(refusal)).toBe(kind))
