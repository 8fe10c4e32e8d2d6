import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ConfigEntry, ModelParams } from '@x/interfaces'
import { AzureOpenAI, OpenAI, type ClientOptions } from 'openai'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { profileOf } from './endpoint-profiles.ts'
import { createEndpoint, type Environment } from './endpoint.ts'
import { createOpenAI } from './openai.ts'
import { response } from './responses/responses.fake.ts'
import { createWire } from './wire.ts'
import fc from 'fast-check'

/** What a request comes to, without what the SDK says about itself. */
interface Request {
  readonly url: string
  readonly headers: Record<string, string>
}

async function ours(
  config: ConfigEntry,
  body: { model: string; input?: unknown },
  env: Environment = {},
): Promise<Request> {
  const endpoint = createEndpoint(config, env)
  const plain = {
    url: endpoint.url({ model: body.model, body: { ...body } }),
    headers: withoutSender(await endpoint.headers()),
  }
  expect(await sentBySdk(config, body, env)).toEqual(plain)
  return plain
}

/** Returns the request that leaves with `sdk: 'openai'`. */
async function sentBySdk(config: ConfigEntry, body: { model: string }, env: Environment): Promise<Request> {
  const sent: { url: string; headers: Record<string, string> }[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push({ url: input as string, headers: Object.fromEntries(new Headers(init?.headers)) })
    return Response.json({})
  }
  const profile = profileOf(config, undefined, undefined)
  const wire = createWire({ config, profile, fetch, env, sdk: 'openai' })
  await wire.complete({ model: body.model, body: { ...body } }, { signal: new AbortController().signal })
  return { url: sent[0]!.url, headers: withoutSender(sent[0]!.headers) }
}

async function theirs(sdk: OpenAI, body: object): Promise<Request> {
  const path = 'input' in body ? '/responses' : 'prompt' in body ? '/completions' : '/chat/completions'
  const { req, url } = await sdk.buildRequest({ method: 'post', path, body, __security: { bearerAuth: true } })
  const headers = Object.fromEntries(req.headers as Headers)
  return { url, headers: withoutSender(headers) }
}

/** Leaves out the headers in which a sender speaks of itself. */
function withoutSender(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isOwn = ([name, value]: [string, string]): boolean =>
    !name.startsWith('x-stainless-') &&
    !(name === 'user-agent' && /^(?:(?:Azure)?OpenAI\/JS|x-provider-openai\/)/u.test(value))
  return Object.fromEntries(Object.entries(headers).filter(isOwn))
}

const chat = { model: 'gpt-4o', messages: [] }

describe('the request is the one that the SDK makes', () => {
  test.each<[string, ConfigEntry, ClientOptions, { model: string; prompt?: string }]>([
    ['for a key', { apiKey: 'sk-a' }, { apiKey: 'sk-a' }, chat],
    ['for a prompt', { apiKey: 'sk-a' }, { apiKey: 'sk-a' }, { model: 'm', prompt: 'p' }],
    ['for a function', { apiKey: async () => 'sk-f' }, { apiKey: async () => 'sk-f' }, chat],
    [
      'for an organisation and headers',
      { apiKey: 'sk-a', organization: 'org', defaultHeaders: { 'X-Team': 'blue', 'User-Agent': 'mine' } },
      { apiKey: 'sk-a', organization: 'org', defaultHeaders: { 'X-Team': 'blue', 'User-Agent': 'mine' } },
      chat,
    ],
    [
      'for a header that carries the key',
      { apiKey: 'sk-a', defaultHeaders: { Authorization: 'Token t' } },
      { apiKey: 'sk-a', defaultHeaders: { Authorization: 'Token t' } },
      chat,
    ],
    [
      'for another endpoint',
      { apiKey: 'k', baseUrl: 'http://host:8080/v1/' },
      { apiKey: 'k', baseURL: 'http://host:8080/v1/' },
      chat,
    ],
    [
      'for a query in the URL',
      { apiKey: 'k', baseUrl: 'http://host/v1?tenant=a%20b&x=1' },
      { apiKey: 'k', baseURL: 'http://host/v1?tenant=a%20b&x=1' },
      chat,
    ],
  ])('%s', async (_, config, options, body) => {
    expect(await ours(config, body)).toEqual(await theirs(new OpenAI(options), body))
  })

  test.each<[string, ConfigEntry, ConstructorParameters<typeof AzureOpenAI>[0]]>([
    ['a key', { apiKey: 'k' }, { apiKey: 'k' }],
    ['tokens', { apiKey: async () => 't' }, { azureADTokenProvider: async () => 't' }],
  ])('for Azure with %s', async (_, config, options) => {
    const apiVersion = '2024-10-21'
    const endpoint = 'https://res.openai.azure.com'
    const body = { ...chat, model: 'deployment of mine' }
    expect(await ours({ apiType: 'azure', baseUrl: endpoint, apiVersion, ...config }, body)).toEqual(
      await theirs(new AzureOpenAI({ endpoint, apiVersion, ...options }), body),
    )
  })

  test.each<[string, ConfigEntry, OpenAI]>([
    ['OpenAI', { apiKey: 'k' }, new OpenAI({ apiKey: 'k' })],
    [
      'Azure’s newer form',
      { apiType: 'azure', apiKey: async () => 't', baseUrl: 'https://r.openai.azure.com/openai/v1/' },
      new OpenAI({ apiKey: 't', baseURL: 'https://r.openai.azure.com/openai/v1/' }),
    ],
    [
      'Azure’s older form, which has no path for a deployment',
      { apiType: 'azure', apiKey: 'k', baseUrl: 'https://r.openai.azure.com', apiVersion: '2025-04-01-preview' },
      new AzureOpenAI({ endpoint: 'https://r.openai.azure.com', apiKey: 'k', apiVersion: '2025-04-01-preview' }),
    ],
  ])('R18, R20: for responses of %s', async (_, config, sdk) => {
    const body = { model: 'deployment of mine', input: 'Hi' }
    expect(await ours(config, body)).toEqual(await theirs(sdk, body))
  })

  test.each([false, true])(
    'R20: a body of the SDK’s types is sent as the SDK sends it (streamed: %s)',
    async (stream) => {
      const bodies: unknown[] = []
      const fetch: typeof globalThis.fetch = async (_, init) => {
        bodies.push(JSON.parse(init?.body as string))
        return Response.json(response())
      }
      const request: OpenAI.Responses.ResponseCreateParams = {
        model: 'gpt-5.5',
        input: [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        ],
        reasoning: { effort: 'high' },
        text: { verbosity: 'low' },
        tools: [
          { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
          { type: 'web_search' },
        ],
        tool_choice: { type: 'function', name: 'f' },
        parallel_tool_calls: false,
        store: false,
        include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
        ...(stream && { stream }),
      }
      await new OpenAI({ apiKey: 'k', fetch }).responses.create(request)
      const client = createOpenAI().createClient({ model: 'gpt-5.5', apiKey: 'k', fetch })
      const params: ModelParams = {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        ],
        reasoning_effort: 'high',
        verbosity: 'low',
        tools: [{ type: 'function', function: { name: 'f' } }, { type: 'web_search' }],
        tool_choice: { type: 'function', function: { name: 'f' } },
        parallel_tool_calls: false,
      }
      if (stream) for await (const _ of client.stream!(params, {}));
      else await client.create(params, {})
      expect(bodies[1]).toEqual(bodies[0])
    },
  )

  test('for what the environment says', async () => {
    const env = {
      OPENAI_API_KEY: 'sk-env',
      OPENAI_BASE_URL: 'http://gateway/v1',
      OPENAI_ORG_ID: 'org-env',
      OPENAI_PROJECT_ID: 'project-env',
      OPENAI_CUSTOM_HEADERS: 'X-One: 1\nX-Two: a: b',
    }
    const before = { ...process.env }
    Object.assign(process.env, env)
    try {
      expect(await ours({}, chat, env)).toEqual(await theirs(new OpenAI(), chat))
    } finally {
      for (const name of Object.keys(env)) delete process.env[name]
      Object.assign(process.env, before)
    }
  })

  test('for any deployment, organisation and header', async () => {
    const name = fc.constantFrom('x-a', 'X-B', 'Accept', 'openai-organization', 'authorization')
    const text = fc.stringMatching(/^[\w.-]{1,12}$/u)
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, text, { maxKeys: 3 }),
        fc.option(text, { nil: undefined }),
        fc.constantFrom('gpt-4o', 'ft:a/b', 'ü & ?#'),
        async (defaultHeaders, organization, model) => {
          const config = { apiKey: 'sk-a', defaultHeaders, organization }
          const options = { apiKey: 'sk-a', defaultHeaders, ...(organization && { organization }) }
          expect(await ours(config, { ...chat, model })).toEqual(await theirs(new OpenAI(options), { ...chat, model }))
        },
      ),
    )
  })
})

describe('where it is more than the SDK', () => {
  test('name and password of a URL become a header', async () => {
    const { url, headers } = await ours({ baseUrl: 'http://ann:s%C3%A9cret@host/v1' }, chat)
    expect([url, headers['authorization']]).toEqual([
      'http://host/v1/chat/completions',
      `Basic ${Buffer.from('ann:sécret').toString('base64')}`,
    ])
  })

  test('a key loses what an editor left around it, and one with other characters is refused without being quoted', async () => {
    expect((await ours({ apiKey: ' sk-a\n' }, chat)).headers['authorization']).toBe('Bearer sk-a')
    const error: unknown = await ours({ apiKey: 'sk-canary\u0000-1' }, chat).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'auth', message: expect.not.stringContaining('canary') as unknown })
  })

  test.each(['localhost:11434/v1', 'no url', 'ftp://host/v1', 'http://u:%zz@host'])(
    '`%s` is no URL',
    async (baseUrl) => {
      await expect(ours({ baseUrl }, chat)).rejects.toMatchObject({ code: 'invalid-config' })
    },
  )

  test.each([
    ['https://api.openai.com/v1', 'Bearer sk-env'],
    ['https://eu.api.openai.com/v1', 'Bearer sk-env'],
    ['https://my-openai.com/v1', undefined],
    ['https://openai.com.example.org/v1', undefined],
    ['http://api.openai.com/v1', undefined],
  ])('the key of the environment and %s', async (baseUrl, authorization) => {
    const { headers } = await ours({ baseUrl }, chat, { OPENAI_API_KEY: 'sk-env' })
    expect(headers['authorization']).toBe(authorization)
  })

  test('a name and a password do not make a host of OpenAI', async () => {
    const { url, headers } = await ours({ baseUrl: 'https://openai.com:443@other.example/v1' }, chat, {
      OPENAI_API_KEY: 'sk-env',
    })
    expect([url, headers['authorization']]).toEqual([
      'https://other.example/v1/chat/completions',
      `Basic ${btoa('openai.com:443')}`,
    ])
  })

  test('secrets in headers of the environment are kept out of sight', () => {
    const env = { OPENAI_API_KEY: 'sk-env', OPENAI_CUSTOM_HEADERS: 'X-Gateway-Token: Token secret-1' }
    expect(createEndpoint({}, env).secrets).toContain('secret-1')
  })

  test('a header may carry the key of Azure; a header of null is not sent', async () => {
    const azure = { apiType: 'azure', baseUrl: 'https://r.openai.azure.com', apiVersion: 'v' }
    const { headers } = await ours({ ...azure, defaultHeaders: { 'Api-Key': 'k', 'User-Agent': null as never } }, chat)
    expect([headers['api-key'], headers['authorization'], 'user-agent' in headers]).toEqual(['k', undefined, false])
  })

  test('keys that rotate with every call do not pile up', async () => {
    let n = 0
    const endpoint = createEndpoint({ apiKey: () => `sk-rotating-${n++}` }, {})
    for (let i = 0; i < 3000; i++) await endpoint.headers()
    expect(endpoint.secrets.size).toBeLessThan(1100)
    expect(endpoint.secrets.has('sk-rotating-2999')).toBe(true)
  })

  test('a redirect is not followed with a key that the platform would take along', () => {
    const azure = { apiType: 'azure', baseUrl: 'https://r.openai.azure.com', apiVersion: 'v', apiKey: 'k' }
    expect([createEndpoint(azure, {}).redirects, createEndpoint({ apiKey: 'k' }, {}).redirects]).toEqual([false, true])
  })
})

describe('who sends', () => {
  test('the default is this package in its version, and a header of the program wins', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    const agentOf = async (config: ConfigEntry): Promise<string | undefined> =>
      (await createEndpoint({ apiKey: 'k', ...config }, {}).headers())['user-agent']
    expect(await agentOf({})).toBe(`x-provider-openai/${version}`)
    expect(await agentOf({ defaultHeaders: { 'User-Agent': 'mine' } })).toBe('mine')
  })

  test('by the SDK it is the SDK, which sends one request and nothing else of the environment', async () => {
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'X-Gateway-Token: secret-1')
    vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-admin')
    vi.stubEnv('OPENAI_ORG_ID', 'org-1')
    onTestFinished(() => void vi.unstubAllEnvs())
    const sent: Headers[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(new Headers(init?.headers))
      return new Response('', { status: 500, headers: { 'x-should-retry': 'true' } })
    }
    const config = { model: 'm', baseUrl: 'http://localhost:1/v1', sdk: 'openai' as const, fetch }
    const client = createOpenAI().createClient(config)
    await expect(client.create({ messages: [{ role: 'user', content: 'Hi' }] }, {})).rejects.toMatchObject({
      kind: 'server',
      status: 500,
    })
    expect(sent).toHaveLength(1)
    const names = [...sent[0]!.keys()].filter((name) => !name.startsWith('x-stainless-'))
    expect(names).toEqual(['accept', 'content-type', 'user-agent'])
    expect(sent[0]!.get('user-agent')).toMatch(/^OpenAI\/JS /u)
    expect(sent[0]!.get('x-stainless-lang')).toBe('js')
  })

  test('a program that asks without the SDK does not load it', () => {
    const program = `import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, load) => (loaded.push(url), load(url, context)) })
const { openai } = await import('@x/provider-openai')
const ask = async (sdk) => {
  const fetch = async () => Response.json({ choices: [] })
  const client = openai.createClient({ model: 'm', apiKey: 'k', sdk, fetch })
  await client.create({ messages: [{ role: 'user', content: 'Hi' }] }, {}).catch(() => {})
  return loaded.some((url) => url.includes('/node_modules/openai/'))
}
console.log(JSON.stringify([await ask(undefined), await ask('openai')]))`
    const args = ['--conditions=@x/source', '--input-type=module', '-e', program]
    const printed = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
    expect(JSON.parse(printed)).toEqual([false, true])
  })
})

test('what was replaced in an adapter stays in its thread; prices are reckoned there anyhow', () => {
  const catalogue = { date: '2026-01-01', models: {} }
  expect([createOpenAI().module, createOpenAI({ catalogue }).module]).toEqual([
    expect.objectContaining({ export: 'openai' }),
    expect.objectContaining({ export: 'openai' }),
  ])
  expect(createOpenAI({ catalogue, env: {} }).module).toBeUndefined()
})

test('an adapter does not take what belongs to a model', () => {
  const options = { apiKey: 'sk-x', baseURL: 'http://localhost/v1' } as object
  expect(() => createOpenAI(options)).toThrow("give it to the model, as in `openai('gpt-5-mini', { apiKey, baseUrl })`")
})
