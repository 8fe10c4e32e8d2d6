import type { RefusedFailure } from '../reply.ts'
import type { ChatRequest } from './chat-request.ts'

/** An error in the body of a response. */
export interface WireError {
  readonly message: string
  readonly type: string | null
  readonly param: string | null
  readonly code: string | null
  readonly [key: string]: unknown
}

/** A refusal: status and error. */
export interface Refusal {
  readonly status: number
  readonly error: WireError
}

const INVALID_REQUEST_TYPE = 'invalid_request_error'

/** The refusal of a failure, as the API words it (observed bodies of the public API). */
export function refusalOf(failure: RefusedFailure, { model, azure }: Pick<ChatRequest, 'model' | 'azure'>): Refusal {
  switch (failure) {
    case '429':
      return refusal(429, 'Rate limit reached for requests: limit 3, used 3, requested 1.', {
        type: 'requests',
        code: 'rate_limit_exceeded',
      })
    case 'quota':
      return refusal(429, 'You exceeded your current quota, please check your plan and billing details.', {
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      })
    case '500':
      return refusal(500, 'The server had an error while processing your request. Sorry about that!', {
        type: 'server_error',
      })
    case '503':
      return refusal(503, 'The engine is currently overloaded, please try again later.', { type: 'server_error' })
    case '401':
      return refusal(401, 'Incorrect API key provided. You can find your API key in your account settings.', {
        code: 'invalid_api_key',
      })
    case '403':
      return refusal(403, 'Country, region, or territory not supported.', {
        type: 'request_forbidden',
        code: 'unsupported_country_region_territory',
      })
    case '404':
      return azure
        ? refusal(404, 'The API deployment for this resource does not exist.', {
            type: null,
            code: 'DeploymentNotFound',
          })
        : refusal(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
            code: 'model_not_found',
          })
    case '400':
      return invalid("Invalid value: 'nonsense'.", 'messages[0].role', 'invalid_value')
    case 'context-overflow':
      return invalid(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 10240 tokens. Please reduce the length of the messages.",
        'messages',
        'context_length_exceeded',
      )
    case 'content-filter':
      return azure
        ? azureFilter()
        : invalid('Your request was rejected as a result of our safety system.', null, 'content_policy_violation')
  }
}

const refusal = (status: number, message: string, facts: Partial<WireError> = {}): Refusal => ({
  status,
  error: { message, type: INVALID_REQUEST_TYPE, param: null, code: null, ...facts },
})

/** Refuses a wrong request with status 400. */
export const invalid = (message: string, param: string | null = null, code: string | null = null): Refusal =>
  refusal(400, message, { param, code })

function azureFilter(): Refusal {
  const { status, error } = refusal(
    400,
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    { type: null, param: 'prompt', code: 'content_filter' },
  )
  const safe = { filtered: false, severity: 'safe' }
  const content_filter_result = {
    hate: safe,
    self_harm: safe,
    sexual: safe,
    violence: { filtered: true, severity: 'high' },
  }
  const innererror = { code: 'ResponsibleAIPolicyViolation', content_filter_result }
  return { status, error: { ...error, status, innererror } }
}

/** Refuses a path or method that the API does not have. */
export const noSuchPath = ({ method, path }: { readonly method: string; readonly path: string }): Refusal =>
  refusal(404, `Invalid URL (${method} ${path})`)
