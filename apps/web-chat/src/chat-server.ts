import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isImage } from './attachment.ts'
import type { Change, ChatKind } from './change.ts'
import type { ChatHost } from './chat-host.ts'
import { ChatIds } from './chat-ids.ts'
import { Chats } from './chats.ts'
import { Gate } from './gate.ts'
import { asFailure, HttpFailure } from './http-failure.ts'
import type { KeptFile } from './kept-files.ts'
import { pageFiles } from './page-files.ts'
import { POSTS } from './posts.ts'
import { Watchers, type WatcherLimits } from './watchers.ts'

/** Options of the server. */
export interface ChatServerOptions {
  /** The host of the chats. */
  readonly host: ChatHost
  /** Kind of new chats, unless a page names one; default `assistant`. */
  readonly kind?: ChatKind | undefined
  /** Address to listen at; default 127.0.0.1. */
  readonly listen?: string | undefined
  /** Port; default 0: any free one. */
  readonly port?: number | undefined
  /** Address of the page in browsers, if a proxy stands before the server; default: that of this machine alone. */
  readonly origin?: string | undefined
  /** Token that pages must send, the same for all servers of a host; default: a new random one. */
  readonly token?: string | undefined
  readonly limits?: WatcherLimits | undefined
}

/** A running server. Disposing of it frees the port; workers continue. */
export interface ChatServer extends AsyncDisposable {
  /** Address for a browser; the token stands behind the `#`, which browsers send to nobody. */
  readonly url: string
  readonly origin: string
  readonly port: number
  readonly token: string
  readonly chats: Chats
  readonly watchers: Watchers
}

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Path of a file that a person has given. */
const GIVEN_FILE_PATTERN = /^\/chats\/(?<chat>[\w-]+)\/files\/(?<file>[0-9a-f]{32})$/u

/** Starts the server. */
export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const { host, kind, listen = '127.0.0.1', port = 0, token, limits } = options
  const secret = token ?? randomBytes(24).toString('base64url')
  const watchers = new Watchers(limits)
  const tell = (id: string | null, change: Change): void => watchers.tell(id, change)
  const chats = new Chats({ host, kind, ids: new ChatIds(secret), tell })
  await chats.open()
  const fileAt = await pageFiles()
  let gate: Gate

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET' } = request
    gate.checkOrigin(request)
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1')
    if (!url) throw new HttpFailure(400, 'the address cannot be read')
    const file = fileAt(url.pathname)
    const route = POSTS.map((post) => ({ post, match: post.path.exec(url.pathname) })).find(({ match }) => match)
    const given = GIVEN_FILE_PATTERN.exec(url.pathname)?.groups
    if (!file && !route && !given && url.pathname !== '/events') throw new HttpFailure(404, 'this path does not exist')
    const allowed = route ? 'POST' : 'GET'
    if (method !== allowed) throw new HttpFailure(405, `this path takes ${allowed}`, { allow: allowed })
    if (file) {
      response.writeHead(200, { 'content-type': file.type })
      response.end(file.body)
      return
    }
    gate.checkToken(request, url)
    if (route) {
      const body = await route.post.act({ chats, request, groups: route.match?.groups ?? {} })
      if (body) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      else response.writeHead(204).end()
      return
    }
    if (given) {
      sendFile(response, await chats.file(given['chat']!, given['file']!))
      return
    }
    const used = await chats.use(url.searchParams.get('chat') ?? '')
    if (!used) throw new HttpFailure(404, 'there is no such chat')
    response.on('close', () => used[Symbol.dispose]())
    if (!watchers.hasRoom) throw new HttpFailure(503, 'too many pages watch')
    if (response.destroyed) {
      used[Symbol.dispose]()
      return
    }
    const { chat } = used
    watchers.add(response, {
      chat: chat.id,
      after: stepOf(request),
      shown: {
        items: () => chat.lines.items,
        step: () => chat.lines.step,
        since: (step) => chat.lines.since(step),
        state: () => chat.state,
        chats: () => chats.list,
      },
    })
  }

  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
    answer(request, response).catch((error: unknown) => refuse(response, error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, listen, resolve)
  })
  const boundPort = (server.address() as AddressInfo).port
  const origin = options.origin ?? `http://127.0.0.1:${boundPort}`
  gate = new Gate(secret, [`http://127.0.0.1:${boundPort}`, `http://localhost:${boundPort}`, origin])
  return {
    origin,
    port: boundPort,
    url: `${origin}/#${secret}`,
    token: secret,
    chats,
    watchers,
    async [Symbol.asyncDispose]() {
      watchers.close()
      await chats.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * Sends a file that a person has given. It is not to be looked at by itself: a browser keeps it, and as a page it would be
 * empty. The page draws images from their bytes.
 */
function sendFile(response: ServerResponse, file: KeptFile | undefined): void {
  if (!file) throw new HttpFailure(404, 'there is no such file')
  response.writeHead(200, {
    'content-type': isImage(file) ? file.type : 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name).replaceAll("'", '%27')}`,
    'content-security-policy': "default-src 'none'; sandbox",
  })
  response.end(Buffer.from(file.data, 'base64'))
}

/** Returns the step up to which a reconnecting page knows the chat; 0 without a valid step. */
function stepOf({ headers }: IncomingMessage): number {
  const id = headers['last-event-id']
  return typeof id === 'string' && /^\d{1,15}$/u.test(id) ? Number(id) : 0
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, message, headers } = asFailure(error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ error: message }))
}
