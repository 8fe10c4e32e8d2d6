import type { ConfigEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import {
  createHttpWire,
  option,
  readOptions,
  withoutTrailingSlashes,
  type LoweredRequest,
  type withModelRefs,
} from '@x/provider-kit'
import type { AnthropicEntry } from '../config.ts'
import { createProvider, hostPart, type AnthropicOptions, type OpenPlatform, type Platform } from '../platform.ts'

/** Keys of a config entry for Vertex alone. */
interface VertexKeys {
  /** Id of the project; default: `ANTHROPIC_VERTEX_PROJECT_ID` or `GOOGLE_CLOUD_PROJECT` of the environment. */
  project?: string | undefined
  /** Location of the endpoint, such as `global` or `us-east5`; default: `CLOUD_ML_REGION` of the environment, or `global`. */
  location?: string | undefined
}

/** A config entry for Claude on Google's Vertex AI; `apiKey` is an access token, or a function that returns one. */
export interface AnthropicVertexConfig extends AnthropicEntry, VertexKeys {
  apiType?: 'anthropic-vertex' | undefined
}

/** An adapter that names its models when it is called. */
type AnthropicVertexProvider = ReturnType<typeof withModelRefs<AnthropicVertexConfig>>

/** Version of the Messages API on Vertex, which stands in every body. */
const API_VERSION = 'vertex-2023-10-16'

const VERTEX: Platform = {
  module: { specifier: '@x/provider-anthropic/vertex', export: 'anthropicVertex', url: import.meta.url },
  apiType: 'anthropic-vertex',
  keys: ['project', 'location'],
  foreignWords: {
    'apiKey accessToken googleAuth project projectId location region baseURL baseUrl headers defaultHeaders timeout maxRetries':
      "give it with the model, as in `anthropicVertex('claude-haiku-4-5@20251001', { project, location, apiKey: async () => token })`",
  },
  // An access token lives for an hour: the environment has none.
  keyVariablesOf: () => [],
  open: openVertex,
}

/** Creates an adapter for Claude on Google's Vertex AI. Called with the name of a model, it returns a `ModelRef`. */
export function createAnthropicVertex(options: AnthropicOptions = {}): AnthropicVertexProvider {
  return createProvider<AnthropicVertexConfig>(VERTEX, options)
}

/**
 * Adapter for Claude on Google's Vertex AI: `anthropicVertex('claude-haiku-4-5@20251001', { project, apiKey: async () => token })`
 * is a model of it, for `llmConfig` and agents.
 */
export const anthropicVertex: AnthropicVertexProvider = createAnthropicVertex()

function openVertex(config: ConfigEntry, environment: Parameters<Platform['open']>[1]): OpenPlatform {
  const keys = readOptions<VertexKeys>(config, { project: option.text, location: option.text })
  const project = keys.project ?? environment['ANTHROPIC_VERTEX_PROJECT_ID'] ?? environment['GOOGLE_CLOUD_PROJECT']
  const location = hostPart('location', keys.location ?? environment['CLOUD_ML_REGION'] ?? 'global')
  if (!project) {
    throw new XError(
      'invalid-config',
      'the config key `project` is missing: give the id of the project, or set GOOGLE_CLOUD_PROJECT',
      { details: { key: 'project' } },
    )
  }
  const endpoint = withoutTrailingSlashes(config.baseUrl || rootOf(location))
  const models = `${endpoint}/v1/projects/${encodeURIComponent(project)}/locations/${location}/publishers/anthropic/models`
  return {
    endpoint,
    connect: (fetch) =>
      createHttpWire({
        config,
        fetch,
        url: ({ model, operation }, stream) =>
          operation === 'countTokens'
            ? `${models}/count-tokens:rawPredict`
            : `${models}/${encodeURIComponent(model).replaceAll('%40', '@')}:${stream ? 'streamRawPredict' : 'rawPredict'}`,
        authorize: (token) => ({ authorization: `Bearer ${token}` }),
        streamed: (body) => ({ ...body, stream: true }),
      }),
    dialect: (dialect) => ({
      lower: (params, context) => frameRequest(dialect.lower(params, context)),
      // The model of a count stands in its body, as on Anthropic's own API.
      lowerCount: (params, context) => withVersion(dialect.lowerCount!(params, context)),
    }),
  }
}

/** Locations of several regions, which have domains of their own. */
const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu'])

/** Returns the root URL for a location. */
function rootOf(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  if (MULTI_REGIONS.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`
  return `https://${location}-aiplatform.googleapis.com`
}

/** Puts a request into the form of Vertex: the model stands in the URL. */
function frameRequest(request: LoweredRequest): LoweredRequest {
  const { model: _, ...body } = request.body
  return withVersion({ ...request, body })
}

const withVersion = (request: LoweredRequest): LoweredRequest => ({
  ...request,
  body: { anthropic_version: API_VERSION, ...request.body },
})
