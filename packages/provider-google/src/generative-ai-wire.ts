import type { GenerateContentRequest, GenerativeModel, GoogleGenerativeAI } from '@google/generative-ai'
import type { ConfigEntry } from '@x/interfaces'
import { withHeaders, type LoweredRequest, type Wire } from '@x/provider-kit'
import { endpointOf, keyFor } from './endpoint.ts'
import { createTakingWire, type TakingFetch } from './taking-wire.ts'

/**
 * Makes the way to the provider through `@google/generative-ai`, which signs and sends. It has no option for a `fetch`, but
 * reads the global one at the moment it is called: for as long as that takes, and no longer, another one stands there.
 */
export function createGenerativeAiWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const { baseUrl, apiVersion } = endpointOf(config)
  let loaded: { readonly GoogleGenerativeAI: new (apiKey: string) => GoogleGenerativeAI } | undefined
  return createTakingWire(config, fetch, async ({ request, stream, signal, taking, secrets }) => {
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
    await asking(model, request, { stream, signal }, taking)
  })
}

/** Calls the SDK with another `fetch` in the place of the global one, which is back before anything else of the program runs. */
async function asking(
  model: GenerativeModel,
  { body }: LoweredRequest,
  { stream, signal }: { readonly stream: boolean; readonly signal: AbortSignal },
  taking: TakingFetch,
): Promise<void> {
  const request = body as unknown as GenerateContentRequest
  const before = globalThis.fetch
  let running: Promise<unknown>
  globalThis.fetch = taking
  try {
    running = stream ? model.generateContentStream(request, { signal }) : model.generateContent(request, { signal })
  } finally {
    globalThis.fetch = before
  }
  const result = (await running) as { readonly response?: unknown }
  // Nobody waits for what it puts together from a stream: without this, a failure of that would end the process.
  if (stream) Promise.resolve(result.response).catch(() => {})
}
