import type { ConfigEntry } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { ENDPOINTS, type EndpointName } from './endpoint-profiles.ts'
import { fakeWire, framesOf } from './wire.fake.ts'

const REDUCE = 'Please reduce the length of the messages or completion.'

/** A config of an endpoint. */
const configOf = (name: EndpointName, fetch: typeof globalThis.fetch): ConfigEntry => ({
  baseUrl: 'http://endpoint.example/v1',
  endpointProfile: name,
  api: 'chat',
  fetch,
})

async function failureOf(name: EndpointName, status: number, body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const wire = fakeWire(
    undefined,
    configOf(name, async () => new Response(text, { status })),
  )
  return await wire.create().catch((error: unknown) => error)
}

const inError = (message: string, fields: object = { type: 'invalid_request_error', code: null }): object => ({
  error: { message, ...fields },
})

/** Answers of each endpoint to a conversation that is longer than the window, as its users have reported them. */
const OVERFLOWS: Readonly<Record<EndpointName, readonly (readonly [number, unknown])[]>> = {
  openai: [
    [
      400,
      inError(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 173172 tokens. Please reduce the length of the messages.",
        { type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
      ),
    ],
    [400, inError('Your input exceeds the context window of this model. Please adjust your input and try again.')],
    [
      400,
      inError(
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11534336 instead.",
        { type: 'invalid_request_error', param: 'messages[1].content', code: 'string_above_max_length' },
      ),
    ],
    // More than the tokens of a minute: it never passes, and a shorter one does.
    [
      429,
      inError(
        'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 41000. The input or output tokens must be reduced in order to run successfully.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
    ],
  ],
  azure: [
    [
      400,
      inError(
        "This model's maximum context length is 16384 tokens. However, your messages resulted in 17203 tokens. Please reduce the length of the messages.",
        { code: 'context_length_exceeded' },
      ),
    ],
    [
      400,
      inError('Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290000 tokens.'),
    ],
  ],
  groq: [
    [400, inError(REDUCE, { type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' })],
    [
      413,
      inError(
        'Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 17000, please reduce your message size and try again.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
    ],
  ],
  mistral: [
    [
      400,
      {
        object: 'error',
        message:
          'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_prompt',
        param: null,
        code: '3051',
      },
    ],
  ],
  deepseek: [
    [
      400,
      inError(
        "This model's maximum context length is 131072 tokens. However, you requested 140371 tokens (132179 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
        { type: 'invalid_request_error', param: null, code: 'invalid_request_error' },
      ),
    ],
  ],
  moonshot: [
    [400, inError('Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)')],
    [400, inError('Input token length too long')],
  ],
  openrouter: [
    [
      400,
      inError(
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 200004 tokens (200000 of text input, 4 in the output).",
        { code: 400 },
      ),
    ],
    [400, inError('Input length 140000 exceeds the maximum allowed input length of 131040 tokens.', { code: 400 })],
    [
      400,
      inError('Provider returned error', {
        code: 400,
        metadata: { provider_name: 'Together', raw: JSON.stringify(inError(REDUCE)) },
      }),
    ],
  ],
  xai: [
    [
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
  ],
  together: [
    [400, inError("The input (200012 tokens) is longer than the model's context length (131072 tokens).")],
    [
      422,
      inError(
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`',
      ),
    ],
    [403, inError('Input token count + max_tokens parameter must be less than the context length of the model.')],
  ],
  fireworks: [[400, inError('The prompt is too long: 136000, model maximum context length: 131071')]],
  cerebras: [
    [
      400,
      {
        message: `${REDUCE} Current length is 9300 while limit is 8192`,
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    ],
    [400, ''],
    [413, ''],
  ],
  perplexity: [[400, inError('The total length of all messages is too long.', { type: 'bad_request', code: 400 })]],
  ollama: [
    [400, inError('prompt too long; exceeded max context length by 512 tokens', { type: 'invalid_request_error' })],
    [500, { error: 'input length exceeds the context length' }],
  ],
  vllm: [
    [
      400,
      {
        object: 'error',
        message:
          "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens. (parameter=input_tokens, value=262145)",
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    ],
    [
      400,
      { object: 'error', message: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.' },
    ],
  ],
  lmstudio: [
    [
      400,
      {
        error:
          'Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
      },
    ],
    [
      400,
      {
        error:
          'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input.',
      },
    ],
    [400, { error: 'Context size has been exceeded.' }],
  ],
  gemini: [
    [
      400,
      [
        {
          error: {
            code: 400,
            message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    ],
  ],
  snowflake: [[400, { message: 'max tokens of 32000 exceeded', request_id: '1' }]],
  // llama.cpp, at any port; in the middle of its work it answers with 500.
  compatible: [
    [
      400,
      inError('the request exceeds the available context size, try increasing it', {
        code: 400,
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 8192,
      }),
    ],
    [500, inError('Context size has been exceeded.', { code: 500, type: 'server_error' })],
    [400, { object: 'error', message: 'length of prompt_tokens (163280) must be less than max_seq_len (32768).' }],
  ],
}

describe('E13: a conversation that is longer than the window is told', () => {
  const cases = Object.entries(OVERFLOWS) as [EndpointName, (typeof OVERFLOWS)[EndpointName]][]

  test.each(cases.flatMap(([name, list]) => list.map(([status, body]) => [name, status, body] as const)))(
    'by %s, status %s: %j',
    async (name, status, body) => {
      expect(await failureOf(name, status, body)).toMatchObject({ kind: 'context-overflow', status })
    },
  )

  test('by every endpoint of the table', () => expect(Object.keys(OVERFLOWS)).toEqual(Object.keys(ENDPOINTS)))

  test.each(cases.map(([name, list]) => [name, list[0]![1]] as const))('by %s, inside a stream', async (name, body) => {
    const frames = framesOf([(Array.isArray(body) ? body[0] : body) as object])
    const fetch: typeof globalThis.fetch = async () =>
      new Response(frames, { headers: { 'content-type': 'text/event-stream' } })
    const error = await fakeWire(undefined, configOf(name, fetch))
      .stream()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'context-overflow' })
  })
})

describe('E14: the kinds of what each endpoint says', () => {
  test.each<[EndpointName, number, unknown, string]>([
    ['openai', 429, inError('You exceeded your current quota', { type: 'insufficient_quota' }), 'quota'],
    [
      'openai',
      429,
      inError('Rate limit reached for gpt-5', { type: 'tokens', code: 'rate_limit_exceeded' }),
      'rate-limit',
    ],
    ['openai', 400, inError('Invalid prompt: your prompt was flagged', { code: 'invalid_prompt' }), 'content-filter'],
    ['openai', 400, inError('Your request was rejected', { code: 'moderation_blocked' }), 'content-filter'],
    ['openai', 403, inError('No access to model `gpt-9`', { code: 'model_not_found' }), 'not-found'],
    ['openai', 403, inError('Not here', { code: 'unsupported_country_region_territory' }), 'auth'],
    ['openai', 503, inError('The engine is currently overloaded', { type: 'server_error' }), 'overloaded'],
    [
      'openai',
      400,
      inError("Invalid 'user': string too long. Expected a string with maximum length 64", {
        code: 'string_above_max_length',
      }),
      'invalid-request',
    ],
    [
      'openai',
      400,
      inError("Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40"),
      'invalid-request',
    ],
    ['openai', 400, inError('max_tokens is too large: 200000. This model supports at most 128000'), 'invalid-request'],
    ['azure', 401, inError('Access denied due to invalid subscription key', { code: '401' }), 'auth'],
    ['azure', 404, inError('The API deployment does not exist.', { code: 'DeploymentNotFound' }), 'not-found'],
    ['azure', 429, inError('Requests have exceeded the token rate limit', { code: '429' }), 'rate-limit'],
    ['azure', 408, inError('The operation was timeout.', { code: 'Timeout' }), 'timeout'],
    ['groq', 498, inError('Flex tier capacity exceeded'), 'overloaded'],
    ['groq', 499, inError('Request cancelled'), 'server'],
    ['groq', 400, inError('Failed to call a function.', { code: 'tool_use_failed' }), 'server'],
    ['groq', 400, inError('The model `x` has been decommissioned', { code: 'model_decommissioned' }), 'not-found'],
    ['groq', 422, inError('Unprocessable'), 'invalid-request'],
    ['groq', 503, '<html><body>Service Unavailable</body></html>', 'overloaded'],
    [
      'mistral',
      400,
      { object: 'error', message: 'Invalid model: m', type: 'invalid_model', code: '1500' },
      'not-found',
    ],
    ['mistral', 401, { detail: 'Unauthorized' }, 'auth'],
    ['mistral', 404, { message: 'no Route matched with those values' }, 'not-found'],
    [
      'mistral',
      422,
      { object: 'error', message: { detail: [{ msg: 'no' }] }, type: 'invalid_request_error' },
      'invalid-request',
    ],
    ['mistral', 429, { message: 'Requests rate limit exceeded' }, 'rate-limit'],
    ['deepseek', 400, inError('Content Exists Risk', { code: 'invalid_request_error' }), 'content-filter'],
    ['deepseek', 400, inError('Model Not Exist', { code: 'invalid_request_error' }), 'not-found'],
    ['deepseek', 402, inError('Insufficient Balance', { type: 'unknown_error' }), 'quota'],
    ['moonshot', 400, inError('The request was rejected', { type: 'content_filter' }), 'content-filter'],
    ['moonshot', 403, inError('Your account is suspended', { type: 'exceeded_current_quota_error' }), 'quota'],
    ['moonshot', 429, inError('try again later', { type: 'engine_overloaded_error' }), 'overloaded'],
    ['moonshot', 429, inError('request reached max RPM', { type: 'rate_limit_reached_error' }), 'rate-limit'],
    ['openrouter', 402, inError('This request requires more credits', { code: 402 }), 'quota'],
    [
      'openrouter',
      403,
      inError('m requires moderation. Your input was flagged for "violence".', { metadata: { reasons: ['violence'] } }),
      'content-filter',
    ],
    ['openrouter', 429, inError('Rate limit exceeded: free-models-per-day', { code: 429 }), 'quota'],
    ['openrouter', 404, inError('No endpoints found that support tool use', { code: 404 }), 'not-found'],
    ['openrouter', 502, inError('Provider returned error', { code: 502 }), 'server'],
    ['xai', 400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***' }, 'auth'],
    ['xai', 403, { code: 'permission-denied', error: "Your team doesn't have any credits or licenses yet." }, 'quota'],
    ['xai', 403, { code: 'permission-denied', error: 'Content violates usage guidelines.' }, 'content-filter'],
    ['xai', 403, { code: 'permission-denied', error: 'The key has no access to this endpoint' }, 'auth'],
    [
      'xai',
      429,
      {
        code: 'Some resource has been exhausted',
        error: 'Your team has used all available credits or reached its monthly spending limit',
      },
      'quota',
    ],
    ['together', 402, inError('Credit limit exceeded', { type: 'credit_limit' }), 'quota'],
    ['together', 403, inError('You may not use this model'), 'auth'],
    ['together', 404, inError('Unable to access model x', { code: 'model_not_available' }), 'not-found'],
    ['together', 503, inError('Engine overloaded'), 'overloaded'],
    ['fireworks', 412, inError('Account x is suspended, possibly due to reaching the monthly spending limit'), 'quota'],
    [
      'fireworks',
      404,
      inError('Model not found, inaccessible, and/or not deployed', { code: 'NOT_FOUND' }),
      'not-found',
    ],
    ['cerebras', 401, { message: 'Wrong API Key', type: 'invalid_request_error', code: 'wrong_api_key' }, 'auth'],
    [
      'cerebras',
      429,
      { message: 'Too many requests sent.', type: 'too_many_requests_error', code: 'request_quota_exceeded' },
      'rate-limit',
    ],
    [
      'cerebras',
      429,
      { message: 'High traffic right now', type: 'too_many_requests_error', code: 'queue_exceeded' },
      'overloaded',
    ],
    ['perplexity', 400, inError("Invalid model 'x'.", { type: 'invalid_model', code: 400 }), 'not-found'],
    ['perplexity', 401, inError('Out of credits', { type: 'insufficient_quota', code: 401 }), 'quota'],
    ['perplexity', 401, '<html><h1>401 Authorization Required</h1></html>', 'auth'],
    ['ollama', 404, inError('model "x" not found, try pulling it first', { type: 'api_error' }), 'not-found'],
    ['ollama', 503, { error: 'server busy, please try again. maximum pending requests exceeded' }, 'overloaded'],
    [
      'vllm',
      404,
      { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 },
      'not-found',
    ],
    ['vllm', 401, { error: 'Unauthorized' }, 'auth'],
    ['lmstudio', 400, { error: 'No models loaded. Please load a model in the developer page.' }, 'not-found'],
    ['lmstudio', 400, { error: 'The model has crashed without additional information. (Exit code: 1)' }, 'server'],
    ['gemini', 400, [inError('API key not valid.', { code: 400, status: 'INVALID_ARGUMENT' })], 'auth'],
    ['gemini', 400, [inError('Missing or invalid Authorization header.', { status: 'INVALID_ARGUMENT' })], 'auth'],
    ['gemini', 504, [inError('Deadline expired', { code: 504, status: 'DEADLINE_EXCEEDED' })], 'timeout'],
    ['snowflake', 400, { message: 'unknown model llama', request_id: '1' }, 'not-found'],
    ['compatible', 503, inError('Loading model', { code: 503, type: 'unavailable_error' }), 'overloaded'],
    ['compatible', 400, '', 'invalid-request'],
    [
      'compatible',
      500,
      inError('image input is not supported - hint: you may need to provide the mmproj', {
        code: 500,
        type: 'server_error',
      }),
      'invalid-request',
    ],
    ['vllm', 500, inError('tools param requires --jinja flag', { code: 500, type: 'server_error' }), 'invalid-request'],
    ['openrouter', 403, inError('Key limit exceeded (total limit)', { code: 403 }), 'quota'],
    [
      'lmstudio',
      400,
      inError('Failed to load model "x". Error: Model does not exist.', { code: 'model_not_found' }),
      'not-found',
    ],
    ['compatible', 400, { code: 20012, message: 'Model does not exist. Please check it carefully.' }, 'not-found'],
    ['compatible', 403, { code: 30001, message: 'Sorry, your account balance is insufficient' }, 'quota'],
    ['compatible', 400, inError('Access denied', { code: 'Arrearage' }), 'quota'],
    ['compatible', 429, inError('you have reached your weekly usage limit, upgrade for higher limits'), 'quota'],
    ['compatible', 429, { message: 'You use a Trial key, which is limited to 1000 API calls / month.' }, 'quota'],
    ['compatible', 403, { errors: [{ code: 'token_quota_reached', message: 'no' }] }, 'quota'],
    ['compatible', 400, { error_code: 'model_not_found', error_msg: 'no' }, 'not-found'],
    [
      'compatible',
      413,
      inError('Request body too large. Max size: 8000 tokens.', { code: 'tokens_limit_reached' }),
      'context-overflow',
    ],
    ['compatible', 500, inError('boom', { code: 500, type: 'server_error' }), 'server'],
    ['compatible', 504, '<html>Gateway Time-out</html>', 'timeout'],
  ])('%s %s %j: %s', async (name, status, body, kind) => {
    expect(await failureOf(name, status, body)).toMatchObject({ kind, status })
  })

  test.each<[EndpointName, object, string]>([
    ['openrouter', { error: { code: '429', message: 'slow' } }, 'rate-limit'],
    ['openrouter', { error: { code: 502, message: 'Provider disconnected' } }, 'server'],
    ['openrouter', { error: { message: 'Rate limit exceeded' } }, 'rate-limit'],
    ['openrouter', { choices: [{ finish_reason: 'error', error: { code: 429, message: 'slow' } }] }, 'rate-limit'],
    ['vllm', { error: { message: 'no', type: 'BadRequestError', code: 400 } }, 'invalid-request'],
    ['ollama', { error: 'an error was encountered while running the model' }, 'server'],
    ['cerebras', { error: { code: 'queue_exceeded', message: 'busy' } }, 'overloaded'],
    ['compatible', { error: { type: 'unavailable_error', message: 'busy' } }, 'overloaded'],
  ])('%s inside an answer: %j is %s', async (name, frame, kind) => {
    const fetch: typeof globalThis.fetch = async () =>
      new Response(framesOf([frame]), { headers: { 'content-type': 'text/event-stream' } })
    const error = await fakeWire(undefined, configOf(name, fetch))
      .stream()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind })
  })

  test('rules of an entry come before those of the row', async () => {
    const failureRules = [{ kind: 'overloaded' as const, status: 400, words: 'NOT NOW' }]
    const fetch: typeof globalThis.fetch = async () => Response.json(inError('not now, please'), { status: 400 })
    const wire = fakeWire(undefined, { baseUrl: 'http://gateway.example/v1', endpointProfile: { failureRules }, fetch })
    await expect(wire.create()).rejects.toMatchObject({ kind: 'overloaded' })
    const wrong = { endpointProfile: { failureRules: [{ status: 400 }] } } as unknown as ConfigEntry
    expect(() => fakeWire(undefined, wrong)).toThrow('`kind`')
  })
})
