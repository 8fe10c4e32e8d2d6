import type { ConfigEntry } from '@x/interfaces'
import { secretsOf } from '@x/kernel/redact'
import {
  modelFailure,
  readFrames,
  readJson,
  requireSuccess,
  type LoweredRequest,
  type Wire,
  withHeaders,
} from '@x/provider-kit'
import type { GoogleGenAI, GoogleGenAIOptions } from '@google/genai'
import { XError } from '@x/kernel'
import type { GenerateContentRequest, GenerativeModel, GoogleGenerativeAI } from '@google/generative-ai'
import { endpointOf, ROOT_URL, keyFor } from './endpoint.ts'

/** A `fetch` that keeps the response and gives the SDK an empty one. */
type CapturingFetch = typeof globalThis.fetch

/** One request for an SDK to send. */
interface SdkCall {
  readonly request: LoweredRequest
  readonly stream: boolean
  readonly signal: AbortSignal
  /** Sends the request for the SDK. */
  readonly fetch: CapturingFetch
  /** Collects keys that errors must not show. */
  readonly secrets: Set<string>
}

/**
 * Connects to the provider by an SDK, which signs and sends. The SDK does not read the answer, so that every transport reads
 * the same, with the same limits: `fetch` captures the response.
 */
function createCapturingWire(
  config: ConfigEntry,
  fetch: typeof globalThis.fetch,
  sendBySdk: (call: SdkCall) => Promise<void>,
): Wire {
  const secrets = secretsOf(config)
  const { baseUrl, apiVersion, query } = endpointOf(config)

  const send = async (
    request: LoweredRequest,
    { signal, onHeaders, begin }: Parameters<Wire['complete']>[1],
    stream: boolean,
  ): Promise<Response> => {
    begin?.()
    const captured: { response?: Promise<Response> } = {}
    const capturingFetch: CapturingFetch = async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      const more = url.includes('?') ? query.replace('?', '&') : query
      captured.response = fetch(query === '' ? input : url + more, { ...init, signal })
      await captured.response
      return new Response(stream ? '' : '{}', { headers: { 'content-type': 'application/json' } })
    }
    try {
      await sendBySdk({ request, stream, signal, fetch: capturingFetch, secrets })
    } catch (error) {
      // The failure of `fetch` says more than the error of the SDK.
      if (captured.response) await captured.response
      throw error
    }
    if (!captured.response) throw modelFailure('connection', 'the SDK of Google sent nothing')
    const success = await requireSuccess(await captured.response, config)
    onHeaders?.(success.headers)
    return success
  }

  return {
    secrets,
    url: `${baseUrl ?? ROOT_URL}/${apiVersion}`,
    complete: async (request, call) => await readJson(await send(request, call, false), config),
    stream: async (request, call) => readFrames(await send(request, call, true), { limits: config }),
  }
}

/**
 * Connects to the provider by `@google/genai`. The SDK does not convert the body, so that every transport sends the same: the
 * body travels as `extraBody`.
 */
export function createGenAiWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const { baseUrl, apiVersion } = endpointOf(config)
  let latest: { readonly key: string; readonly sdk: GoogleGenAI } | undefined

  const sdkFor = async (secrets: Set<string>): Promise<GoogleGenAI> => {
    const apiKey = await keyFor(config, secrets)
    if (latest?.key === apiKey) return latest.sdk
    const { GoogleGenAI } = await importGenAi()
    const httpOptions = {
      apiVersion,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(config.defaultHeaders && { headers: config.defaultHeaders }),
    }
    const sdk = new GoogleGenAI({ apiKey, httpOptions })
    latest = { key: apiKey, sdk }
    return sdk
  }

  return createCapturingWire(
    config,
    fetch,
    async ({ request: { model, body, headers }, stream, fetch: capturingFetch, secrets }) => {
      const { models } = await sdkFor(secrets)
      const httpOptions = {
        extraBody: body as Record<string, unknown>,
        fetch: capturingFetch,
        ...(headers && { headers: withHeaders({}, headers) }),
      }
      const request = { model, contents: body['contents'] as never, config: { httpOptions } }
      if (stream) await models.generateContentStream(request)
      else await models.generateContent(request)
    },
  )
}

/** Loads an SDK before the clock of the first request runs, by the name of the sender. */
export const SDK_LOADERS: Readonly<Record<string, () => Promise<unknown>>> = {
  genai: importGenAi,
  'generative-ai': async () => await import('@google/generative-ai'),
}

async function importGenAi(): Promise<{ GoogleGenAI: new (options: GoogleGenAIOptions) => GoogleGenAI }> {
  try {
    return await import('@google/genai')
  } catch (cause) {
    throw new XError(
      'invalid-config',
      "`sdk: 'genai'` needs `@google/genai`, which is not installed: run `npm i @google/genai`",
      {
        cause,
      },
    )
  }
}

/**
 * Connects to the provider by `@google/generative-ai`. The SDK has no option for a `fetch`, but reads the global one when it is
 * called: for the time of that call, another one stands there.
 */
export function createGenerativeAiWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const { baseUrl, apiVersion } = endpointOf(config)
  let loaded: { readonly GoogleGenerativeAI: new (apiKey: string) => GoogleGenerativeAI } | undefined
  return createCapturingWire(config, fetch, async ({ request, stream, signal, fetch: capturingFetch, secrets }) => {
    loaded ??= await import('@google/generative-ai')
    const sdk = new loaded.GoogleGenerativeAI(await keyFor(config, secrets))
    const model = sdk.getGenerativeModel(
      { model: request.model },
      {
        apiVersion,
        ...(baseUrl !== undefined && { baseUrl }),
        ...((config.defaultHeaders ?? request.headers) && {
          customHeaders: withHeaders(config.defaultHeaders ?? {}, request.headers),
        }),
      },
    )
    await callWithFetch(model, request, { stream, signal }, capturingFetch)
  })
}

/** Calls the SDK with another global `fetch`; the program's one is back before anything else of the program runs. */
async function callWithFetch(
  model: GenerativeModel,
  { body }: LoweredRequest,
  { stream, signal }: { readonly stream: boolean; readonly signal: AbortSignal },
  fetch: CapturingFetch,
): Promise<void> {
  const request = body as unknown as GenerateContentRequest
  const before = globalThis.fetch
  let running: Promise<unknown>
  globalThis.fetch = fetch
  try {
    running = stream ? model.generateContentStream(request, { signal }) : model.generateContent(request, { signal })
  } finally {
    globalThis.fetch = before
  }
  const result = (await running) as { readonly response?: unknown }
  // Nobody awaits the answer that the SDK joins from a stream: its failure would end the process.
  if (stream) Promise.resolve(result.response).catch(() => {})
}
