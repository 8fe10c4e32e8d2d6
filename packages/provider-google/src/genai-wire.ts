import type { GoogleGenAI, GoogleGenAIOptions } from '@google/genai'
import type { ConfigEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { withHeaders, type Wire } from '@x/provider-kit'
import { endpointOf, keyFor } from './endpoint.ts'
import { createTakingWire } from './taking-wire.ts'

/**
 * Makes the way to the provider through `@google/genai`, which signs and sends. Its conversion of bodies stays out, so that
 * every transport sends the same: the body travels as `extraBody`.
 */
export function createGenAiWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const { baseUrl, apiVersion } = endpointOf(config)
  let made: { readonly key: string; readonly sdk: GoogleGenAI } | undefined

  const sdkFor = async (secrets: Set<string>): Promise<GoogleGenAI> => {
    const apiKey = await keyFor(config, secrets)
    if (made?.key === apiKey) return made.sdk
    const { GoogleGenAI } = await loaded()
    const httpOptions = {
      apiVersion,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(config.defaultHeaders && { headers: config.defaultHeaders }),
    }
    const sdk = new GoogleGenAI({ apiKey, httpOptions })
    made = { key: apiKey, sdk }
    return sdk
  }

  return createTakingWire(config, fetch, async ({ request: { model, body, headers }, stream, taking, secrets }) => {
    const { models } = await sdkFor(secrets)
    const httpOptions = {
      extraBody: body as Record<string, unknown>,
      fetch: taking,
      ...(headers && { headers: withHeaders({}, headers) }),
    }
    const request = { model, contents: body['contents'] as never, config: { httpOptions } }
    if (stream) await models.generateContentStream(request)
    else await models.generateContent(request)
  })
}

async function loaded(): Promise<{ GoogleGenAI: new (options: GoogleGenAIOptions) => GoogleGenAI }> {
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
