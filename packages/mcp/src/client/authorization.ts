import type { MaybePromise } from '@x/interfaces'
import type { OAuthClientProvider, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { XError } from '@x/kernel'
import type { HttpTransport } from './http-transport.ts'

/** Stores tokens and registrations of OAuth; the values are secrets. */
export interface TokenStore {
  get(key: string): MaybePromise<string | undefined>
  set(key: string, value: string): MaybePromise<void>
  delete(key: string): MaybePromise<void>
}

/** The OAuth of a server: how a person authorizes this program. */
export interface McpAuth {
  /** Stores tokens and registrations by server. */
  readonly store: TokenStore
  /** Address to which the browser of the person returns; a server of the program listens there. */
  readonly redirectUrl: string
  /** Shows the address where the person decides, for example by opening a browser. */
  readonly open: (url: URL) => MaybePromise<void>
  /** Resolves with the address to which the browser returned, with all parameters. */
  readonly returned: () => MaybePromise<string | URL>
  /** Name of the client for the person; default: `x`. */
  readonly clientName?: string | undefined
  /** Identifier of a registered client; default: a client is registered. */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  /** Requested scopes, separated by spaces; default: the scopes that the server names. */
  readonly scope?: string | undefined
}

/** The OAuth of one server. */
export interface Authorization {
  readonly provider: OAuthClientProvider
  /** Waits for the decision of the person, and fetches the tokens. */
  finish(transport: HttpTransport): Promise<void>
}

/** Fields of stored values that no text may show. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['access_token', 'refresh_token', 'id_token', 'client_secret'])

/** The entries of one server in a token store. */
interface StoredEntries {
  readonly read: <T extends object>(entry: string) => Promise<T | undefined>
  readonly write: (entry: string, value: object) => Promise<void>
  readonly remove: (entry: string) => Promise<void>
}

function entriesOf(store: TokenStore, server: URL, secrets: Set<string>): StoredEntries {
  const key = (entry: string): string => `${server.origin}${server.pathname}#${entry}`
  const known = <T extends object>(value: T): T => {
    for (const [name, each] of Object.entries(value))
      if (SECRET_FIELDS.has(name) && typeof each === 'string') secrets.add(each)
    return value
  }
  return {
    async read<T extends object>(entry: string) {
      const text = await store.get(key(entry))
      return text === undefined ? undefined : known(JSON.parse(text) as T)
    },
    write: async (entry, value) => await store.set(key(entry), JSON.stringify(known(value))),
    remove: async (entry) => await store.delete(key(entry)),
  }
}

/** Makes the OAuth of one server: the flow of the SDK with the token store of the program. Adds what it gets to `secrets`. */
export function createAuthorization(server: URL, auth: McpAuth, secrets: Set<string>): Authorization {
  const { store, clientName = 'x', clientId, clientSecret, redirectUrl, scope } = auth
  const { read, write, remove } = entriesOf(store, server, secrets)
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
    ...(clientId === undefined && { saveClientInformation: async (client) => await write('client', client) }),
    tokens: async () => await read<StoredOAuthTokens>('tokens'),
    saveTokens: async (tokens) => await write('tokens', tokens),
    async redirectToAuthorization(url) {
      if (!/^https?:$/u.test(url.protocol)) throw noPageError(server)
      await auth.open(url)
    },
    saveCodeVerifier: (value) => {
      verifier = value
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => {
      discovery = state
    },
    discoveryState: () => discovery,
    async invalidateCredentials(entry) {
      if (entry === 'all' || entry === 'tokens') await remove('tokens')
      if (entry === 'all' || entry === 'client') await remove('client')
      if (entry === 'all' || entry === 'discovery') discovery = undefined
    },
  }
  return {
    provider,
    async finish(transport) {
      const { searchParams } = new URL(await auth.returned())
      const state = searchParams.get('state')
      if (expected === undefined || state !== expected) throw wrongStateError(server)
      expected = undefined
      await transport.finishAuth(searchParams)
    },
  }
}

const wrongStateError = (server: URL): XError =>
  new XError(
    'connection-failed',
    `cannot authorize at \`${server.origin}\`: the browser returned with a different \`state\`, which belongs to another authorization; authorize again`,
  )

/** The error of an address that a browser would hand to another program: the server has chosen it. */
const noPageError = (server: URL): XError =>
  new XError(
    'connection-failed',
    `cannot authorize at \`${server.origin}\`: the address where the person is to decide is no web page; ask whoever runs the server`,
  )
