import type { ConfigEntry } from '@x/interfaces'
import { createHttpWire, type Wire } from '@x/provider-kit'
import { endpointOf, environmentKey, isVertex, modelPath, noKey, ROOT } from './endpoint.ts'

/** Connects to the provider without an SDK; the requests are those that the SDKs build. */
export function createFetchWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const { baseUrl, apiVersion } = endpointOf(config)
  const vertex = isVertex(baseUrl)
  // The platform for companies has the version in the middle of its URL, which is given whole.
  const root = vertex && config.baseUrl ? config.baseUrl.replace(/\/+$/u, '') : `${baseUrl ?? ROOT}/${apiVersion}`
  return createHttpWire({
    config,
    fetch,
    url: ({ model, operation }, stream) => {
      const method =
        operation === 'countTokens' ? operation : stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      return `${root}/${modelPath(model)}:${method}`
    },
    authorize: (key) => (vertex ? { authorization: `Bearer ${key}` } : { 'x-goog-api-key': key }),
    environmentKey: () => environmentKey(config) ?? noKey(config),
  })
}
