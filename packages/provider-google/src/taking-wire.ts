import type { ConfigEntry } from '@x/interfaces'
import { secretsOf } from '@x/kernel/redact'
import { modelFailure, readFrames, readJson, requireSuccess, type LoweredRequest, type Wire } from '@x/provider-kit'
import { endpointOf, ROOT } from './endpoint.ts'

/** A `fetch` that keeps the response and gives the SDK an empty one. */
export type TakingFetch = typeof globalThis.fetch

/** One request for an SDK to send. */
export interface SdkCall {
  readonly request: LoweredRequest
  readonly stream: boolean
  readonly signal: AbortSignal
  /** The SDK sends by it. */
  readonly taking: TakingFetch
  /** Takes keys that errors must not show. */
  readonly secrets: Set<string>
}

/**
 * Makes the way to the provider through an SDK that signs and sends. Its reading of answers stays out, so that every
 * transport reads the same, with the same limits: the response is taken where it arrives.
 */
export function createTakingWire(
  config: ConfigEntry,
  fetch: typeof globalThis.fetch,
  ask: (call: SdkCall) => Promise<void>,
): Wire {
  const secrets = secretsOf(config)
  const { baseUrl, apiVersion } = endpointOf(config)

  const send = async (
    request: LoweredRequest,
    { signal, onHeaders }: Parameters<Wire['complete']>[1],
    stream: boolean,
  ): Promise<Response> => {
    const taken: { response?: Promise<Response> } = {}
    const taking: TakingFetch = async (input, init) => {
      taken.response = fetch(input, { ...init, signal })
      await taken.response
      return new Response(stream ? '' : '{}', { headers: { 'content-type': 'application/json' } })
    }
    try {
      await ask({ request, stream, signal, taking, secrets })
    } catch (error) {
      // The SDK says less about a failure of its `fetch` than the failure itself.
      if (taken.response) await taken.response
      throw error
    }
    if (!taken.response) throw modelFailure('connection', 'the SDK of Google sent nothing')
    const answered = await requireSuccess(await taken.response, config)
    onHeaders?.(answered.headers)
    return answered
  }

  return {
    secrets,
    url: `${baseUrl ?? ROOT}/${apiVersion}`,
    complete: async (request, call) => await readJson(await send(request, call, false), config),
    stream: async (request, call) => readFrames(await send(request, call, true), { limits: config }),
  }
}
