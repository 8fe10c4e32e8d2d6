import type { ProviderContract } from '@x/testing/provider-contract'

/** An error of OpenAI, as a body. */
export const errorBody = (error: object): string =>
  JSON.stringify({ error: { param: null, type: null, code: null, ...error } })

/** Failures of OpenAI, and what each is; both of its APIs fail alike. */
export const FAILURES: ProviderContract['failures'] = [
  { status: 401, body: errorBody({ message: 'Incorrect API key provided', code: 'invalid_api_key' }), kind: 'auth' },
  { status: 404, body: errorBody({ message: 'The model does not exist', code: 'model_not_found' }), kind: 'not-found' },
  {
    status: 429,
    body: errorBody({ message: 'Slow down' }),
    headers: { 'retry-after': '3' },
    kind: 'rate-limit',
    retryAfterMs: 3000,
  },
  { status: 429, body: errorBody({ message: 'No money', code: 'insufficient_quota' }), kind: 'quota' },
  { status: 400, body: errorBody({ message: 'Too long', code: 'context_length_exceeded' }), kind: 'context-overflow' },
  { status: 400, body: errorBody({ message: 'Filtered', code: 'content_filter' }), kind: 'content-filter' },
  { status: 500, body: errorBody({ message: 'Sorry' }), kind: 'server' },
  { status: 503, body: '<html>busy</html>', kind: 'overloaded' },
]
