import type { HttpRequest } from '../http-shell.ts'

/** A request for a chat completion, as the functions of a fake server's script receive it. */
export interface ChatRequest {
  /** Requested model; for Azure the deployment. */
  readonly model: string
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

const AZURE_PATH = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/u
const PLAIN_PATH = /^(?:\/openai)?\/v1\/chat\/completions$/u

/** Returns the deployment of an Azure path, an empty one for the plain path, and undefined for any other path. */
export function chatPath({ method, path, query }: HttpRequest): { deployment: string } | undefined {
  if (method !== 'POST') return undefined
  const azure = AZURE_PATH.exec(path)
  if (azure) return query['api-version'] === undefined ? undefined : { deployment: decodeURIComponent(azure[1]!) }
  return PLAIN_PATH.test(path) ? { deployment: '' } : undefined
}

/** Reads a body without judging it. */
export function readChatRequest(given: unknown, deployment: string, index: number): ChatRequest {
  const body = isRecord(given) ? given : {}
  const { model, messages, stream, stream_options: options, n } = body
  return {
    model: deployment || (typeof model === 'string' ? model : ''),
    messages: Array.isArray(messages) ? messages.filter(isRecord) : [],
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
