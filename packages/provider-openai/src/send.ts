import { parsedJson } from '@x/provider-kit'
import { APIConnectionError, APIError } from 'openai'
import type { Endpoint } from './endpoint.ts'

/**
 * Sends a request and gives the response when its head is there; a refusal is thrown as the SDK's own error. The SDK
 * builds the request (URL, key, headers, the hosted variant's paths) and is not asked to send it: its clocks, retries and
 * logs are not used here and take most of the time of a call.
 */
export async function send({ sdk, fetch }: Endpoint, body: object, signal: AbortSignal): Promise<Response> {
  const path = 'prompt' in body ? '/completions' : '/chat/completions'
  const { req, url } = await sdk.buildRequest({ method: 'post', path, body, __security: { bearerAuth: true } })
  const response = await fetched(fetch, url, { ...req, method: 'POST', signal })
  if (response.ok) return response
  const text = await response.text()
  throw APIError.generate(response.status, parsedJson(text) as object | undefined, text, response.headers)
}

async function fetched(fetch: typeof globalThis.fetch, url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    if (request.signal?.aborted) throw error
    throw new APIConnectionError({ cause: error instanceof Error ? error : new Error(String(error)) })
  }
}
