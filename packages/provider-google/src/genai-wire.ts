import type { GoogleGenAI, GoogleGenAIOptions } from '@google/genai'
import type { ConfigEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import {
  requireSuccess,
  modelFailure,
  readFrames,
  readJson,
  refusalIn,
  secretsOf,
  type LoweredRequest,
  type Wire,
} from '@x/provider-kit'
import { endpointOf, keyFor, ROOT } from './endpoint.ts'

/**
 * Makes the way to the provider through `@google/genai`, which signs and sends. Its conversion of bodies stays out, so that
 * every transport sends and reads the same: the body travels as `extraBody`, the response is taken where it arrives.
 */
export function createGenAiWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const secrets = secretsOf(config)
  const { baseUrl, apiVersion } = endpointOf(config)
  let made: { readonly key: string; readonly sdk: GoogleGenAI } | undefined

  const sdkFor = async (): Promise<GoogleGenAI> => {
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

  const send = async ({ model, body }: LoweredRequest, signal: AbortSignal, stream: boolean): Promise<Response> => {
    const { models } = await sdkFor()
    const taken: { response?: Response } = {}
    const httpOptions = {
      extraBody: body as Record<string, unknown>,
      fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
        taken.response = await fetch(input, { ...init, signal })
        return new Response('{}', { headers: { 'content-type': 'application/json' } })
      },
    }
    const request = { model, contents: body['contents'] as never, config: { httpOptions } }
    if (stream) await models.generateContentStream(request)
    else await models.generateContent(request)
    const { response } = taken
    if (!response) throw modelFailure('connection', '`@google/genai` sent nothing')
    return await requireSuccess(response)
  }

  return {
    secrets,
    url: `${baseUrl ?? ROOT}/${apiVersion}`,
    complete: async (request, { signal }) => await readJson(await send(request, signal, false)),
    stream: async (request, { signal }) => readFrames(await send(request, signal, true)),
    refusalOf: refusalIn,
  }
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
