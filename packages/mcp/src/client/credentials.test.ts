import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isXError } from '@x/kernel'
import { describe, expect, it } from 'vitest'
import { mcp, type McpAuth, type TokenStore } from '../index.ts'
import { HANDLED, RawServer } from './raw-server.fake.ts'

const CANARY = 'canary-1234567890'

/** Starts a small web server. */
async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('credentials', () => {
  it('are sent with every request to the server, and with none to another origin', async () => {
    const stolen: IncomingHttpHeaders[] = []
    await using thief = await serve((request, response) => {
      stolen.push(request.headers)
      response.end()
    })
    for (const status of [301, 302, 307, 308]) {
      await using server = await RawServer.start({
        on: { 'tools/call': (_, { response }) => (response.writeHead(status, { location: thief.url }).end(), HANDLED) },
      })
      await using its = await mcp({ name: 's', url: server.url, headers: { authorization: `Bearer ${CANARY}` } })
      const error = await its.callTool('echo').catch((failure: unknown) => failure)
      expect(error).toMatchObject({ code: 'connection-failed' })
      expect((error as Error).message).toContain('cannot follow the redirect')
      expect(server.received.every(({ headers }) => headers.authorization === `Bearer ${CANARY}`)).toBe(true)
    }
    expect(stolen).toEqual([])
  })

  it('appear in no error, whatever the server sends', async () => {
    const echoed = (text: string) => ({ content: [{ type: 'text', text }] })
    const failures: [string, ConstructorParameters<typeof Object>[0]][] = []
    await using server = await RawServer.start({
      on: {
        'tools/call': ({ params }, { request, response }) => {
          const said = `${request.headers['x-key'] as string} and ${encodeURIComponent(CANARY)}`
          switch ((params!['arguments'] as { how: string }).how) {
            case 'status':
              return (response.writeHead(500).end(said), HANDLED)
            case 'refused':
              return (response.writeHead(403).end(said), HANDLED)
            case 'broken':
              return (response.writeHead(200, { 'content-type': 'application/json' }).end(said), HANDLED)
            case 'type':
              return (response.writeHead(200, { 'content-type': said }).end('x'), HANDLED)
            default:
              return echoed('fine')
          }
        },
      },
    })
    await using its = await mcp({ name: 's', url: `${server.url}?api_key=${CANARY}`, headers: { 'x-key': CANARY } })
    for (const how of ['status', 'refused', 'broken', 'type']) {
      failures.push([how, await its.callTool('echo', { how }).catch((error: unknown) => error)])
    }
    for (const [how, error] of failures) {
      expect(isXError(error), how).toBe(true)
      expect(`${how} ${(error as Error).message}`).not.toContain(CANARY)
    }
  })
})

describe('OAuth', () => {
  /** A server of tools that requires a token, with its authorization server. */
  async function guarded(
    page?: string,
  ): Promise<AsyncDisposable & { readonly url: string; readonly asked: URLSearchParams[] }> {
    const asked: URLSearchParams[] = []
    const raw = await RawServer.start()
    const site = await serve((request, response) => {
      const url = new URL(request.url!, its.url)
      const json = (value: unknown, status = 200): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        switch (url.pathname) {
          case '/.well-known/oauth-protected-resource':
          case '/.well-known/oauth-protected-resource/mcp':
            return json({ resource: `${its.url}/mcp`, authorization_servers: [its.url] })
          case '/.well-known/oauth-authorization-server':
            return json({
              issuer: its.url,
              authorization_endpoint: page ?? `${its.url}/authorize`,
              token_endpoint: `${its.url}/token`,
              registration_endpoint: `${its.url}/register`,
              response_types_supported: ['code'],
              code_challenge_methods_supported: ['S256'],
              token_endpoint_auth_methods_supported: ['none'],
            })
          case '/register':
            return json({ ...(JSON.parse(body) as object), client_id: 'c1' }, 201)
          case '/token':
            asked.push(new URLSearchParams(body))
            return json({
              access_token: `granted-${asked.length}`,
              token_type: 'Bearer',
              refresh_token: 'r',
              expires_in: 3600,
            })
          default: {
            const isGranted = request.headers.authorization === `Bearer granted-${asked.length}`
            if (asked.length === 0 || !isGranted) {
              const challenge = `Bearer resource_metadata="${its.url}/.well-known/oauth-protected-resource"`
              return void response.writeHead(401, { 'www-authenticate': challenge }).end()
            }
            // Authorized requests go to the server behind it.
            const init = { method: request.method!, headers: { 'content-type': 'application/json' } }
            void fetch(raw.url, { ...init, ...(body && { body }) }).then(async (answer) => {
              response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
              if (request.method === 'GET') return void response.end()
              response.end(await answer.text())
            })
          }
        }
      })
    })
    const its = {
      url: site.url,
      asked,
      async [Symbol.asyncDispose]() {
        await site[Symbol.asyncDispose]()
        await raw[Symbol.asyncDispose]()
      },
    }
    return its
  }

  const memory = (): TokenStore & { readonly kept: Map<string, string> } => {
    const kept = new Map<string, string>()
    return {
      kept,
      get: (key) => kept.get(key),
      set: (key, value) => void kept.set(key, value),
      delete: (key) => void kept.delete(key),
    }
  }

  /** A person who agrees at once; `change` tampers with the address to which the browser returns. */
  function agreeing(store: TokenStore, change = (url: URL): URL => url): McpAuth & { readonly opened: URL[] } {
    const opened: URL[] = []
    return {
      store,
      opened,
      redirectUrl: 'http://localhost:1/back',
      open: (url) => void opened.push(url),
      returned() {
        const { searchParams } = opened.at(-1)!
        const back = new URL(searchParams.get('redirect_uri')!)
        back.searchParams.set('code', 'yes')
        back.searchParams.set('state', searchParams.get('state')!)
        return change(back)
      },
    }
  }

  it('asks the person once, and stores the tokens', async () => {
    await using server = await guarded()
    const store = memory()
    const auth = agreeing(store)
    await using its = await mcp({ name: 's', url: `${server.url}/mcp`, auth })
    expect((await its.callTool('echo')).text).toBe('called echo')
    expect(auth.opened).toHaveLength(1)
    expect(auth.opened[0]!.searchParams.get('code_challenge_method')).toBe('S256')
    expect(server.asked[0]!.get('code')).toBe('yes')
    expect([...store.kept.keys()].toSorted()).toEqual([`${server.url}/mcp#client`, `${server.url}/mcp#tokens`])
    const later = agreeing(store)
    await using again = await mcp({ name: 's', url: `${server.url}/mcp`, auth: later })
    expect((await again.callTool('echo')).text).toBe('called echo')
    expect(later.opened).toEqual([])
  })

  it('shows no token in an error', async () => {
    await using server = await guarded()
    const store = memory()
    const refuse: typeof fetch = async (input, init) => {
      const token = new Headers(init?.headers).get('authorization')?.slice('Bearer '.length)
      return token === undefined ? await fetch(input, init) : new Response(`no ${token}`, { status: 400 })
    }
    const failure = mcp({ name: 's', url: `${server.url}/mcp`, auth: agreeing(store), fetch: refuse })
    await expect(failure).rejects.toThrow('no [redacted]')
    expect([...store.kept.values()].join()).toContain('granted-1')
  })

  it('refuses an answer to another authorization', async () => {
    await using server = await guarded()
    const auth = agreeing(memory(), (url) => (url.searchParams.set('state', 'of somebody else'), url))
    const failure = mcp({ name: 's', url: `${server.url}/mcp`, auth })
    await expect(failure).rejects.toThrow(/returned with a different `state`/u)
    expect(server.asked).toEqual([])
  })

  it.each(['file:///Applications/Calculator.app', 'ms-settings:about'])('opens no page at %s', async (page) => {
    await using server = await guarded(page)
    const auth = agreeing(memory())
    await expect(mcp({ name: 's', url: `${server.url}/mcp`, auth })).rejects.toThrow(/is no web page/u)
    expect(auth.opened).toEqual([])
  })

  it('says what to give when a server requires authentication', async () => {
    await using server = await guarded()
    await expect(mcp({ name: 's', url: `${server.url}/mcp` })).rejects.toThrow(/give `headers` with a token/u)
  })
})
