import { expect, test } from 'vitest'
import { kindOf, type FailureSigns } from './failure-kind.ts'

test.each<[FailureSigns, string]>([
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
  [{ status: 405 }, 'not-found'],
  // LM Studio answers so, with status 200, where it has no such path.
  [{ message: 'Unexpected endpoint or method. (POST /chat/completions)' }, 'not-found'],
  [{ status: 408 }, 'timeout'],
  [{ status: 409 }, 'server'],
  [{ status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' }, 'context-overflow'],
  [{ status: 413, message: '<html><h1>413 Request Entity Too Large</h1></html>' }, 'context-overflow'],
  [{ type: 'request_too_large' }, 'context-overflow'],
  [{ status: 422 }, 'invalid-request'],
  [{ status: 425, message: 'Too Early' }, 'overloaded'],
  [{ status: 499, message: 'client closed request' }, 'server'],
  [{ type: 'overloaded_error' }, 'overloaded'],
  [{ type: 'authentication_error' }, 'auth'],
  [{ type: 'invalid_request_error', message: 'no' }, 'invalid-request'],
  [{ code: 500, message: 'boom' }, 'server'],
  [{}, 'server'],
  ...[
    'prompt is too long: 212000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'Your input exceeds the context window of this model.',
    'the request exceeds the available context size. try increasing the context size',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
    "This model's maximum prompt length is 131072 but the request contains 540000 tokens.",
    'too many tokens: size limit exceeded by 11326 tokens.',
    'Input is too long for requested model.',
    '`inputs` tokens + `max_new_tokens` must be <= 8193',
    'too many images and documents: 120 + 0 > 100',
    'Too much media: 0 document pages + 107 images > 100',
    'messages.19.content.27.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    'At most 5 image(s) may be provided in one request.',
    'Too many images in request. Max is 10.',
    'Request payload size exceeds the limit: 20971520 bytes.',
    'Unable to submit request because the input token count is 135538 but model only supports up to 131072',
    'invalid params, context window exceeds limit',
    'prompt token count of 140000 exceeds the limit of 128000',
    'tokens in request more than max tokens allowed',
    'Prompt exceeds max length',
    'Range of input length should be [1, 30720]',
    'Too many input tokens',
    "Requested token count exceeds the model's maximum context length of 131072 tokens",
    'Input length 1581 exceeds context length 1500',
    "Invalid 'input': string too long. Expected a string with maximum length 10485760",
    "Invalid 'messages': array too long. Expected an array with maximum length 2048",
  ].map((message): [FailureSigns, string] => [{ status: 400, message }, 'context-overflow']),
  // A server of open models fails so in the middle of its work; what a refused key quotes says nothing.
  [{ status: 500, message: 'Context size has been exceeded.' }, 'context-overflow'],
  [{ status: 401, message: 'maximum context length is 8192' }, 'auth'],
  [
    { status: 429, type: 'rate_limit_error', message: 'Extra usage is required for long context requests.' },
    'context-overflow',
  ],
  [{ status: 429, code: 'RESOURCE_EXHAUSTED', message: 'Your prepayment credits are depleted.' }, 'quota'],
  [{ status: 429, message: 'Your project has exceeded its monthly spending cap.' }, 'quota'],
  [{ status: 400, type: 'FAILED_PRECONDITION', message: 'User location is not supported for the API use.' }, 'auth'],
  [{ status: 400, message: 'This organization has been disabled.' }, 'auth'],
  [{ status: 400, message: 'The provided model identifier is invalid.' }, 'not-found'],
  [{ status: 400, message: 'the model `x` does not support tools' }, 'invalid-request'],
  [{ status: 504, type: 'timeout_error' }, 'timeout'],
  [{ message: 'Request timed out' }, 'timeout'],
  [{ type: 'NotFoundError', message: 'no' }, 'not-found'],
  [{ type: 'UNAUTHENTICATED', message: 'Unauthorized' }, 'auth'],
  [{ status: 400, message: 'Output blocked by content filtering policy' }, 'content-filter'],
  [{ status: 400, message: 'You have reached your specified API usage limits.' }, 'quota'],
  [{ status: 400, message: 'Your credit balance is too low to access the Anthropic API.' }, 'quota'],
  [{ status: 400, message: 'API key expired. Please renew the API key.' }, 'auth'],
  [{ status: 429, message: 'Too many tokens, please wait before trying again.' }, 'rate-limit'],
])('%j', (refusal, kind) => expect(kindOf(refusal)).toBe(kind))

test('rules of an endpoint win, the first match first', () => {
  const rules = [
    { kind: 'quota', status: 412 },
    { kind: 'server', status: 400, words: 'Crashed' },
    { kind: 'context-overflow', status: 400, words: '' },
    { kind: 'overloaded', words: 'queue' },
  ] as const
  const kind = (signs: FailureSigns): string => kindOf(signs, rules)
  expect(kind({ status: 412, message: 'content_filter' })).toBe('quota')
  expect(kind({ status: 400, message: 'it has crashed' })).toBe('server')
  expect(kind({ status: 500, message: 'it has crashed' })).toBe('server')
  expect(kind({ status: 400, message: 'status 400 without a message', empty: true })).toBe('context-overflow')
  expect(kind({ status: 400, message: 'no' })).toBe('invalid-request')
  expect(kind({ code: 'QUEUE_full' })).toBe('overloaded')
  expect(kind({ code: 7, type: null })).toBe('server')
})
