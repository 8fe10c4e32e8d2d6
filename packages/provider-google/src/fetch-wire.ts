import type { ConfigEntry } from '@x/interfaces'
import { createHttpWire, type Wire } from '@x/provider-kit'
import { endpointOf, environmentKey, isVertex, modelPath, ROOT } from './endpoint.ts'

/** Connects to the provider without an SDK. */
export function createFetchWire(config: ConfigEntry, fetch: typeof globalThis.fetch): Wire {
  const { baseUrl, apiVersion } = endpointOf(config)
  const vertex = isVertex(baseUrl)
  // The platform for companies has the version in the middle of its URL, which is given whole.
  const root = vertex && config.baseUrl ? config.baseUrl.replace(/\/+$/u, '') : `${baseUrl ?? ROOT}/${apiVersion}`
  return createHttpWire({
    config,
    fetch,
    url: ({ model }, stream) =>
      `${root}/${modelPath(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    authorize: (key) => (vertex ? { authorization: `Bearer ${key}` } : { 'x-goog-api-key': key }),
    environmentKey: () => environmentKey(config),
  })
}
