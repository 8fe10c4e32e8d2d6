import type { ConfigEntry } from '@x/interfaces'
import { parseJson, readFrames, readJson, type HttpRefusal, type LoweredRequest, type Wire } from '@x/provider-kit'
import { APIError } from 'openai/core/error'
import type { OpenAIKeys } from './config.ts'
import type { EndpointProfile } from './endpoint-profiles.ts'
import { createEndpoint, type Environment } from './endpoint.ts'
import { DONE } from './chat/read-answer.ts'

/** Config of an endpoint and what to reach it with. */
export interface WireInit extends Pick<OpenAIKeys, 'streamUsage'> {
  readonly profile: EndpointProfile
  readonly config: ConfigEntry
  readonly fetch: typeof globalThis.fetch
  readonly env: Environment
}

/** Connects to an endpoint: requests and errors are those of the SDK. */
export function createWire({ config, profile, streamUsage, fetch, env }: WireInit): Wire {
  const endpoint = createEndpoint(config, env)
  let url = endpoint.url({ model: config.model ?? '', body: {} })
  const send = async (request: LoweredRequest, body: object, signal: AbortSignal): Promise<Response> => {
    url = endpoint.url(request)
    const response = await fetch(url, {
      method: 'POST',
      headers: await endpoint.headers(),
      body: JSON.stringify(body),
      signal,
      ...(!endpoint.redirects && { redirect: 'manual' }),
    })
    if (response.ok) return response
    const text = await response.text()
    throw APIError.generate(response.status, bodyOf(text), text, response.headers)
  }
  const asStream = {
    stream: true,
    ...((streamUsage ?? (profile.streamUsage && reportsUsage(config))) && { stream_options: { include_usage: true } }),
  }
  return {
    secrets: endpoint.secrets,
    get url() {
      return url
    },
    complete: async (request, { signal }) => await readJson(await send(request, request.body, signal)),
    stream: async (request, { signal }) => {
      const { body } = request
      // The Responses API gives usage unasked.
      if ('input' in body) return readFrames(await send(request, { ...body, stream: true }, signal))
      return readFrames(await send(request, { ...body, ...asStream }, signal), DONE)
    },
    refusalOf,
  }
}

/** Returns the body as the SDK's errors expect it: with a key `error`. */
function bodyOf(text: string): object | undefined {
  const body = parseJson(text)
  if (typeof body !== 'object' || body === null) return undefined
  return 'error' in body ? body : { error: body }
}

function refusalOf(error: unknown): HttpRefusal | undefined {
  if (!(error instanceof APIError)) return undefined
  const { status, headers, error: body, message } = error as APIError
  return { status, headers, body: body ?? message.replace(/^\d{3} /u, '') }
}

/** Tells whether a stream may be asked for usage, which Azure's versions before September 2024 refuse. */
function reportsUsage({ apiType, apiVersion = '' }: ConfigEntry): boolean {
  const dated = /^\d{4}-\d{2}-\d{2}/u.exec(apiVersion)?.[0]
  return !(apiType?.startsWith('azure') && dated !== undefined && dated < '2024-09-01')
}
