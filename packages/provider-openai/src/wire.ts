import type { ConfigEntry } from '@x/interfaces'
import { readFrames, readJson, readWhole, requireSuccess, withHeaders, type Wire } from '@x/provider-kit'
import type { OpenAIKeys } from './config.ts'
import type { EndpointProfile } from './endpoint-profiles.ts'
import { createEndpoint, type Environment } from './endpoint.ts'
import { DONE } from './chat/read-answer.ts'
import { sendBySdk, type SendRequest } from './sdk-send.ts'

/** Config and rules of an endpoint, with the means to reach it. */
export interface WireInit extends Pick<OpenAIKeys, 'sdk' | 'streamUsage'> {
  readonly profile: EndpointProfile
  readonly config: ConfigEntry
  readonly fetch: typeof globalThis.fetch
  readonly env: Environment
}

/** Connects to an endpoint, without an SDK or by the `openai` SDK; the requests are the same, except for the names of the senders. */
export function createWire(init: WireInit): Wire {
  const { config, profile, streamUsage, fetch, env, sdk } = init
  const isBySdk = sdk === 'openai'
  const endpoint = createEndpoint(config, env, isBySdk ? null : undefined)
  // That of the latest request, for errors. Each request keeps its own: others begin while it waits for its key.
  let url = endpoint.url({ model: config.model ?? '', body: {} })
  const sendPlain: SendRequest = async (request, body, call) => {
    call.begin?.()
    const to = (url = endpoint.url(request))
    const made = endpoint.headers()
    const headers = withHeaders(made instanceof Promise ? await made : made, request.headers)
    const redirect = endpoint.redirects ? 'follow' : 'manual'
    const options: RequestInit = { method: 'POST', headers, body: JSON.stringify(body), redirect }
    const response = await fetch(to, call.initFor?.(options) ?? { ...options, signal: call.signal })
    const success = response.ok ? response : await requireSuccess(response, config)
    call.onHeaders?.(success.headers)
    return success
  }
  const sdkSend = isBySdk ? sendBySdk(init, endpoint) : undefined
  const send: SendRequest = sdkSend
    ? async (request, body, call) => {
        url = endpoint.url(request)
        return await sdkSend(request, body, call)
      }
    : sendPlain
  const streamFields = {
    stream: true,
    ...((streamUsage ?? (profile.streamUsage && reportsUsage(config))) && { stream_options: { include_usage: true } }),
  }
  const exchange: Wire['exchange'] = async (asked, call) => {
    const { method, path, body, type = 'application/json', onLine } = asked
    call.begin?.()
    const search = path.includes('?') ? endpoint.search.replace('?', '&') : endpoint.search
    const to = (url = endpoint.root + path + search)
    const made = await endpoint.headers()
    const headers = withHeaders(made, { 'content-type': body === undefined ? null : type })
    const redirect = endpoint.redirects ? 'follow' : 'manual'
    const options: RequestInit = { method, headers, redirect, ...(body !== undefined && { body }) }
    const response = await fetch(to, call.initFor?.(options) ?? { ...options, signal: call.signal })
    return await readWhole(await requireSuccess(response, config), config, onLine)
  }
  return {
    exchange,
    secrets: endpoint.secrets,
    get url() {
      return url
    },
    complete: async (request, call) => await readJson(await send(request, request.body, call), config),
    stream: async (request, call) => {
      const { body } = request
      // The Responses API always sends usage.
      if ('input' in body) return readFrames(await send(request, { ...body, stream: true }, call), { limits: config })
      return readFrames(await send(request, { ...body, ...streamFields }, call), { done: DONE, limits: config })
    },
  }
}

/** Tells whether a stream may ask for usage, which Azure's versions before September 2024 refuse. */
function reportsUsage({ apiType, apiVersion = '' }: ConfigEntry): boolean {
  const date = /^\d{4}-\d{2}-\d{2}/u.exec(apiVersion)?.[0]
  return !(apiType?.startsWith('azure') && date !== undefined && date < '2024-09-01')
}
