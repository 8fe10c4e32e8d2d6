import type { ConfigEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { requireSuccess, type LoweredRequest, type Wire } from '@x/provider-kit'
import type { AzureOpenAI, OpenAI } from 'openai'
import { pathOf, type Endpoint } from './endpoint.ts'

/** Sends a request and returns the response, which has a status of success. */
export type SendRequest = (
  request: LoweredRequest,
  body: object,
  call: Parameters<Wire['complete']>[1],
) => Promise<Response>

/** The classes of the SDK that make requests. */
interface Sdk {
  readonly OpenAI: typeof OpenAI
  readonly AzureOpenAI: typeof AzureOpenAI
}

/** Longest delay of a timer, as good as no timeout: the client watches the time. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1

/** Placeholder key of the SDK, which makes no client without one; it is not sent. */
const UNSENT_KEY = 'none'

/** One request on its way through the SDK. */
interface SdkCall {
  /** The signal of the call: the SDK gives `fetch` a signal of its own, which no watcher is registered for. */
  readonly signal: AbortSignal
  /** Names of the headers of the request, in lower case. */
  readonly names: ReadonlySet<string>
  /** The failure of `fetch`, which says more than the error of the SDK around it. */
  failure: { readonly error: unknown } | undefined
}

/** Key of the call among the options of its request. */
const CALL = Symbol('call of a request')

/** Options of `fetch` with the call. */
interface CallInit extends RequestInit {
  readonly [CALL]?: SdkCall
}

/**
 * Makes a sender by the `openai` SDK, which is loaded with the first request. The SDK makes the URL and the request and calls
 * `fetch`; its retries, timers, parsers and errors are not used. The key and where it may go are those of the endpoint, and
 * headers that the SDK takes from the environment by itself are not sent.
 */
export function sendBySdk(
  { config, fetch }: { readonly config: ConfigEntry; readonly fetch: typeof globalThis.fetch },
  endpoint: Endpoint,
): SendRequest {
  const fetchSuccess: typeof globalThis.fetch = async (input, init = {}) => {
    const { [CALL]: call, headers, ...rest }: CallInit = init
    const { signal, names } = call!
    const redirect = endpoint.redirects ? 'follow' : 'manual'
    try {
      const sent = await fetch(input, { ...rest, headers: wantedHeaders(headers, names), signal, redirect })
      return await requireSuccess(sent, config)
    } catch (error) {
      call!.failure = { error }
      throw error
    }
  }
  let client: OpenAI | undefined
  return async (request, body, { signal, begin, onHeaders }) => {
    begin?.()
    client ??= createSdk(await importSdk(), endpoint, fetchSuccess)
    const headers = { ...(await endpoint.headers()), ...removedHeaders(config.defaultHeaders), ...request.headers }
    const call: SdkCall = { signal, names: new Set(Object.keys(headers)), failure: undefined }
    const fetchOptions: object = { [CALL]: call }
    const path = pathOf(request)
    try {
      const response = await client
        .post(path, {
          body,
          signal,
          fetchOptions,
          timeout: SDK_TIMEOUT_MS,
          maxRetries: 0,
          headers: { authorization: null, 'api-key': null, ...headers },
          stream: 'stream' in body && body.stream === true,
        })
        .asResponse()
      onHeaders?.(response.headers)
      return response
    } catch (error) {
      throw call.failure ? call.failure.error : error
    }
  }
}

/** Loads the SDK. Its name is not written into `import`, so that a bundle of a program holds the SDK only if the program imports it. */
export async function importSdk(): Promise<Sdk> {
  const name: string = 'openai'
  try {
    return (await import(/* @vite-ignore */ name)) as Sdk
  } catch (cause) {
    throw new XError(
      'invalid-config',
      "`sdk: 'openai'` needs the package `openai`, which is not installed beside the program: run `npm i openai`, or leave `sdk` out",
      { cause },
    )
  }
}

function createSdk(
  { OpenAI, AzureOpenAI }: Sdk,
  { root, search, deploymentVersion: apiVersion }: Endpoint,
  fetch: typeof globalThis.fetch,
): OpenAI {
  const options = {
    fetch,
    baseURL: root + search,
    apiKey: UNSENT_KEY,
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off' as const,
    // The program decides whether a page shows its key, as with every other provider.
    dangerouslyAllowBrowser: true,
  }
  return apiVersion === undefined ? new OpenAI(options) : new AzureOpenAI({ ...options, apiVersion })
}

/** Returns the headers of a request and those in which the SDK speaks of itself. */
function wantedHeaders(headers: RequestInit['headers'], names: ReadonlySet<string>): Record<string, string> {
  const wanted = [...new Headers(headers)].filter(
    ([name]) => names.has(name) || name === 'user-agent' || name.startsWith('x-stainless-'),
  )
  return Object.fromEntries(wanted)
}

/** Returns the headers that a config removes: null in JSON. */
function removedHeaders(headers: Readonly<Record<string, string | null>> = {}): Record<string, null> {
  const removed = Object.entries(headers).filter(([, value]) => value === null)
  return Object.fromEntries(removed.map(([name]) => [name.toLowerCase(), null]))
}
