import type { ConfigEntry } from '@x/interfaces'
import { expect, test } from 'vitest'
import { fakeProvider } from '../fakes/provider.fake.ts'
import { llmConfig } from '../wrapper/llm-config.ts'

const { provider } = fakeProvider(['x'])
const SECRET = 'sk-canary-0123456789abcdef'

/** Makes an `llmConfig` of one entry. */
const withEntry = (entry: object) => () =>
  llmConfig({ providers: [provider], configList: [{ model: 'm', apiType: 'fake', ...entry }] })

test.each<[string, string]>([
  // AG2 and the older SDK of OpenAI
  ['llm_config', 'put its keys here, without it'],
  ['llmConfig', 'put its keys here, without it'],
  ['api_base', 'write `baseUrl`'],
  ['client_host', 'write `baseUrl`'],
  ['http_client', 'write `fetch`'],
  ['api_rate_limit', 'write `limiter`'],
  ['azure_ad_token_provider', 'write `apiKey`, which may be a function'],
  ['hide_tools', 'leave it out: tools are always sent, and called in the form of the provider'],
  ['built_in_tools', "write them as `tools`, as in [{ type: 'web_search' }]"],
  ['routing_method', 'leave it out: configs are asked in their order'],
  [
    'aws_secret_key',
    'for Claude, write `anthropicBedrock` of `@x/provider-anthropic/bedrock`, with `region` and `credentials`',
  ],
  [
    'gcp_auth_token',
    'for Claude, write `anthropicVertex` of `@x/provider-anthropic/vertex`, with `project`, `location` and `apiKey`',
  ],
  ['proxy', 'set `HTTPS_PROXY` and `NODE_USE_ENV_PROXY=1`, or write `fetch`'],
  [
    'project_id',
    'for Claude on Vertex, write `project`; for Gemini, its `baseUrl` there, and an access token as `apiKey`',
  ],
  ['google_application_credentials', 'for Vertex, write its `baseUrl`, and as `apiKey` a function for an access token'],
  ['request_timeout', 'write `timeout`, in seconds'],
  ['system_message', 'it is an option of the agent: write `systemMessage` there'],
  ['human_input_mode', 'it is an option of the agent: write `humanInputMode` there'],
  ['max_consecutive_auto_reply', 'it is an option of the agent: write `maxConsecutiveAutoReply` there'],
  ['code_execution_config', 'it is an option of the agent: write `codeExecutionConfig` there'],
  // LangChain, LiteLLM, Vercel's AI SDK
  ['model_name', 'write `model`'],
  ['modelName', 'write `model`'],
  ['modelId', 'write `model`'],
  ['azure_deployment', 'write `model`'],
  ['azureOpenAIApiDeploymentName', 'write `model`'],
  ['deploymentName', 'write `model`'],
  ['azure_endpoint', 'write `baseUrl`'],
  ['azureEndpoint', 'write `baseUrl`'],
  ['openAIApiKey', 'write `apiKey`, which may be a function'],
  ['openai_api_key', 'write `apiKey`, which may be a function'],
  ['key', 'write `apiKey`, which may be a function'],
  ['url', 'write `baseUrl`'],
  ['endpoint', 'write `baseUrl`'],
  ['headers', 'write `defaultHeaders`'],
  ['num_retries', 'write `maxRetries`'],
  ['timeoutMs', 'write `timeout`, in seconds'],
  ['timeout_ms', 'write `timeout`, in seconds'],
  ['requestTimeout', 'write `timeout`, in seconds'],
  ['maxOutputTokens', 'write `max_tokens`'],
  ['stopSequences', 'write `stop`'],
  // What misspells a key of this library
  ['baseURL', 'did you mean `baseUrl`?'],
  ['maxTokens', 'did you mean `max_tokens`?'],
])('the word `%s` of elsewhere is told in the words of this library', (key, remedy) => {
  const call = withEntry({ [key]: SECRET })
  expect(call).toThrow(
    expect.objectContaining({
      code: 'invalid-config',
      message: `entry 0 of \`configList\` has an unknown key \`${key}\`: ${remedy}`,
    }),
  )
})

test.each(['api_key', 'base_url', 'api_version', 'max_retries', 'default_headers', 'cache_seed', 'model_client_cls'])(
  'the snake case of `%s` is read',
  (key) => {
    const values: Readonly<Record<string, unknown>> = { max_retries: 1, default_headers: {}, cache_seed: 4 }
    expect(withEntry({ [key]: values[key] ?? 'https://x.example.com/v1' })).not.toThrow()
  },
)

test.each(['max_output_tokens', 'stop_sequences', 'instructions', 'project', 'enable_thinking', 'top_a'])(
  '`%s` is a parameter of some endpoint, and is sent',
  (key) => {
    expect(withEntry({ [key]: 1 })).not.toThrow()
  },
)

test.each(['providers', 'configList', 'config_list', 'defaultCache', 'io', 'logger', 'runtime'])(
  '`%s` in an entry belongs beside the list',
  (key) => {
    expect(withEntry({ [key]: [] })).toThrow(
      `entry 0 of \`configList\` has the key \`${key}\`, which belongs beside the list: llmConfig({ providers: [openai], configList: [{ model: 'gpt-5-mini' }] })`,
    )
  },
)

test.each<[unknown, string]>([
  [
    { provider: 'openai' },
    "`provider` of entry 0 of `configList` is a text: write `apiType`, or `openai('gpt-5-mini')` in place of the entry",
  ],
  [{ model: () => {} }, '`model` of entry 0 of `configList` is of a wrong kind; give a text'],
  [{ model: 5 }, "`model` of entry 0 of `configList` is of a wrong kind; give a text, such as 'gpt-5-mini'"],
  [{ model: ['a', 'b'] }, '`model` of entry 0 of `configList` is of a wrong kind; give a text'],
  [
    { model: { provider, model: 'a', environment: [] } },
    "`model` of entry 0 of `configList` is a model of a provider: put `openai('gpt-5-mini')` itself into the list, without `{ model }` around it",
  ],
])('%j is no value for its key', (entry, text) => {
  const call = withEntry(entry as object)
  expect(call).toThrow(expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(text) }))
})

test.each<[object, string]>([
  [
    { model: { provider, model: 'a', environment: [] } },
    "write `llmConfig(openai('gpt-5-mini'))`, without `{ model }` around it",
  ],
  [{ model: ['a'] }, "`model` of the config is of a wrong kind; give a text, such as 'gpt-5-mini'"],
])('%j is no config, with providers and without', (config, text) => {
  for (const providers of [[provider], []]) {
    expect(() => llmConfig({ providers, ...config })).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(text) }),
    )
  }
})

test.each<[unknown, string]>([
  [[], 'the config names no model: write `openai('],
  [{}, 'the config names no model: write `openai('],
  [{ configList: [{ temperature: 0 }] }, 'entry 0 of `configList` names no model: write `openai('],
])('%j names neither a model nor a provider', (config, text) => {
  expect(() => llmConfig(config as never)).toThrow(
    expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(text) }),
  )
})

test.each<[unknown, string]>([
  ['gpt-5', 'entry 0 of `configList` is not an object: give { model: '],
  [null, 'entry 0 of `configList` is not an object'],
  [[], 'entry 0 of `configList` is not an object'],
  [
    Object.assign(() => {}, provider),
    "entry 0 of `configList` is a provider: name a model, as in `openai('gpt-5-mini')`",
  ],
  [provider, "entry 0 of `configList` is a provider: name a model, as in `openai('gpt-5-mini')`"],
])('%j is no entry', (entry, text) => {
  expect(() => llmConfig({ providers: [provider], configList: [entry as ConfigEntry] })).toThrow(text)
})
