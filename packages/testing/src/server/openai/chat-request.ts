import type { HttpRequest } from '../http-shell.ts'

/** A request for an answer, as functions in the script of a fake server receive it. */
export interface ChatRequest {
  /** API of the request. */
  readonly api: 'chat' | 'responses'
  /** Requested model; for Azure the deployment. */
  readonly model: string
  /** Messages; for the Responses API, made from its input. */
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly stream: boolean
  /** Asks for the usage at the end of the stream. */
  readonly includeUsage: boolean
  /** Number of choices requested. */
  readonly n: number
  /** Tells that the request used the path of an Azure deployment. */
  readonly azure: boolean
  /** The whole body. */
  readonly body: Readonly<Record<string, unknown>>
  /** Number of earlier requests. */
  readonly index: number
}

const AZURE_CHAT_PATH = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/u
const CHAT_PATH = /^(?:\/openai)?\/v1\/chat\/completions$/u

const RESPONSES_PATH = /^(?:\/openai)?\/v1\/responses$/u
const AZURE_RESPONSES_PATH = '/openai/responses'

/** API and deployment that a path names. */
export interface RequestPath extends Pick<ChatRequest, 'api'> {
  /** Deployment of an Azure path; empty for any other. */
  readonly deployment: string
}

/** Returns the API of a path, with the deployment of an Azure path; undefined for any other path. */
export function requestPath({ method, path, query }: HttpRequest): RequestPath | undefined {
  if (method !== 'POST') return undefined
  const isVersioned = query['api-version'] !== undefined
  if (RESPONSES_PATH.test(path) || (path === AZURE_RESPONSES_PATH && isVersioned))
    return { api: 'responses', deployment: '' }
  const azure = AZURE_CHAT_PATH.exec(path)
  if (azure) return isVersioned ? { api: 'chat', deployment: decodeURIComponent(azure[1]!) } : undefined
  return CHAT_PATH.test(path) ? { api: 'chat', deployment: '' } : undefined
}

/** Reads a body without checking it. */
export function readChatRequest(given: unknown, { api, deployment }: RequestPath, index: number): ChatRequest {
  const body = isRecord(given) ? given : {}
  const { model, messages, stream, stream_options: options, n } = body
  return {
    api,
    model: deployment || (typeof model === 'string' ? model : ''),
    messages:
      api === 'responses' ? messagesOfInput(body['input']) : Array.isArray(messages) ? messages.filter(isRecord) : [],
    stream: stream === true,
    includeUsage: isRecord(options) && options['include_usage'] === true,
    n: typeof n === 'number' && n > 0 ? n : 1,
    azure: deployment !== '',
    body,
    index,
  }
}

/** Tells whether a value is an object and not an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type RequestMessage = Readonly<Record<string, unknown>>

/** Returns the input of a request as messages: calls are the assistant's, results have the role `tool`. */
function messagesOfInput(input: unknown): RequestMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input)) return []
  return input.filter(isRecord).flatMap((item): RequestMessage[] => {
    const { type, role, content, call_id: id, output, name, arguments: args } = item
    if (typeof role === 'string') return [{ role, content }]
    if (type === 'function_call_output') return [{ role: 'tool', tool_call_id: id, content: output }]
    if (type !== 'function_call') return []
    const call = { id, type: 'function', function: { name, arguments: args } }
    return [{ role: 'assistant', content: null, tool_calls: [call] }]
  })
}
