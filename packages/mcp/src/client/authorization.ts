import type { OAuthClientProvider, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { XError } from '@x/kernel'
import type { HttpTransport } from './http-transport.ts'
import type { McpAuth } from './mcp-auth.ts'

/** The OAuth of one server. */
export interface Authorization {
  readonly provider: OAuthClientProvider
  /** Waits for the person's decision, and takes the tokens. */
  finish(transport: HttpTransport): Promise<void>
}

/** Makes the OAuth of one server: the SDK's flow with a store of the program's. */
export function createAuthorization(server: URL, auth: McpAuth): Authorization {
  const { store, clientName = 'x', clientId, clientSecret, redirectUrl, scope } = auth
  const key = (what: string): string => `${server.origin}${server.pathname}#${what}`
  const read = async <T>(what: string): Promise<T | undefined> => {
    const text = await store.get(key(what))
    return text === undefined ? undefined : (JSON.parse(text) as T)
  }
  const write = async (what: string, value: unknown): Promise<void> => await store.set(key(what), JSON.stringify(value))
  let expected: string | undefined
  let verifier = ''
  let discovery: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret ? 'client_secret_basic' : 'none',
      ...(scope !== undefined && { scope }),
    },
    state: () => (expected = globalThis.crypto.randomUUID()),
    clientInformation: async () =>
      clientId === undefined
        ? await read<StoredOAuthClientInformation>('client')
        : { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) },
    ...(clientId === undefined && { saveClientInformation: async (its) => await write('client', its) }),
    tokens: async () => await read<StoredOAuthTokens>('tokens'),
    saveTokens: async (tokens) => await write('tokens', tokens),
    redirectToAuthorization: async (url) => await auth.open(url),
    saveCodeVerifier: (its) => {
      verifier = its
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => {
      discovery = state
    },
    discoveryState: () => discovery,
    async invalidateCredentials(what) {
      if (what === 'all' || what === 'tokens') await store.delete(key('tokens'))
      if (what === 'all' || what === 'client') await store.delete(key('client'))
      if (what === 'all' || what === 'discovery') discovery = undefined
    },
  }
  return {
    provider,
    async finish(transport) {
      const { searchParams } = new URL(await auth.returned())
      const state = searchParams.get('state')
      if (expected === undefined || state !== expected) throw wrongState(server)
      expected = undefined
      await transport.finishAuth(searchParams)
    },
  }
}

const wrongState = (server: URL): XError =>
  new XError(
    'connection-failed',
    `cannot authorize at \`${server.origin}\`: the browser came back with another \`state\` than it was sent with, as if for somebody else; begin anew`,
  )
