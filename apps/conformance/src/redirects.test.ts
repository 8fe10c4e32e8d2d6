import type { ConfigEntry, Model } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WIRES } from './wires.fake.ts'

const CANARY_KEY = 'CanaryOf2026PlainKey'

/** Ways of requests to the network. */
const WAYS: readonly (readonly [string, () => ConfigEntry])[] = [
  ['as the platform is', () => ({})],
  ['with a `fetch` in the entry', () => ({ fetch: async (input, init) => await globalThis.fetch(input, init) })],
  [
    'with a global `fetch` that a tracing tool has wrapped',
    () => {
      const before = globalThis.fetch
      onTestFinished(() => void (globalThis.fetch = before))
      globalThis.fetch = async (input, init) => await before(input, init)
      return {}
    },
  ],
]

/** A server that records its requests. */
async function serve(status: number, location?: string): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`)
      response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** The method, headers and body of a request. */
const withoutPath = (request: string | undefined): string | undefined => request?.replace(/ \/\S* /u, ' ')

describe.each(WIRES)('a redirect, by %s,', (_, create, entry) => {
  const modelFor = (baseUrl: string, more: ConfigEntry): Model =>
    llmConfig({
      providers: [create()],
      configList: [{ ...entry, maxRetries: 0, apiKey: CANARY_KEY, baseUrl, ...more }],
      cacheSeed: null,
      io: { send: () => {}, input: () => '' },
    }).createModel()

  const ask = async (model: Model, streamed: boolean): Promise<unknown> => {
    const request = { messages: [{ role: 'user' as const, content: 'Hi' }] }
    try {
      if (streamed) for await (const _ of model.createStream(request));
      else await model.create(request)
      return undefined
    } catch (error) {
      return error
    }
  }

  test('without an end is asked as often as `maxRetries` allows, and no more', async () => {
    const first = await serve(307, '/v2')
    const error = await ask(modelFor(first.url, { maxRetries: 2 }), false)
    expect(error).toMatchObject({ code: 'model-failed' })
    // Azure's SDK follows none. Each redirect of this server leads to another one.
    expect(first.seen.length).toBe(entry.apiType === 'azure' ? 1 : 3)
  })

  for (const [how, prepare] of WAYS) {
    test.each([301, 302, 303, 307, 308])(`${how}: to another host (%i) takes nothing along`, async (status) => {
      const more = prepare()
      for (const streamed of [false, true]) {
        const other = await serve(200)
        const first = await serve(status, `${other.url}/v1`)
        const error = await ask(modelFor(first.url, more), streamed)
        expect([first.seen.length, other.seen]).toEqual([1, []])
        expect(first.seen[0]).toContain(CANARY_KEY)
        expect(error).toMatchObject({ code: 'model-failed' })
        if (status !== 303 && entry.apiType !== 'azure') expect((error as Error).message).toContain('is not followed')
      }
    })

    test(`${how}: within its host names its target, where the next request goes`, async () => {
      const first = await serve(307, '/v2?k=1')
      const model = modelFor(first.url, prepare())
      const error = await ask(model, false)
      expect(first.seen.length).toBe(1)
      // An endpoint of Azure with a key in `api-key` follows none.
      if (entry.apiType === 'azure') return
      expect(error).toMatchObject({
        message: expect.stringContaining(`redirects to \`${first.url}/v2\``) as unknown,
        kind: 'connection',
        details: { askAgain: true, redirect: `${first.url}/v2` },
      })
      await ask(model, false)
      const [before, after] = first.seen
      expect([first.seen.length, after?.startsWith('POST /v2?k=1 ')]).toEqual([2, true])
      expect(withoutPath(after)).toBe(withoutPath(before))
    })
  }
})
