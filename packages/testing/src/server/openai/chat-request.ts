import type { HttpRequest } from '../http-shell.ts'

/** A request for a chat completion, as the fake server's script sees it. */
export interface ChatRequest {
  /** Model asked; with Azure the deployment. */
  readonly model: string
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly stream: boolean
  /** Whether the stream shall end with its usage. */
  readonly includeUsage: boolean
  /** How many alternatives are wanted. */
  readonly n: number
  /** Whether it came by the path of Azure. */
  readonly azure: boolean
  /** The whole body. */
  readonly body: Readonly<Record<string, unknown>>
  /** How many requests were read before this one. */
  readonly index: number
}

const AZURE_PATH = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/u
const PLAIN_PATH = /^(?:\/openai)?\/v1\/chat\/completions$/u

/** Where a request asks for a chat completion: the deployment for Azure, an empty text for the plain path. */
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

/** Tells an object with keys from everything else. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
