import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Change, ChatKind } from './change.ts'
import type { ChatHost } from './chat-host.ts'
import { ChatIds } from './chat-ids.ts'
import { Chats } from './chats.ts'
import { Gate } from './gate.ts'
import { asFailure, HttpFailure } from './http-failure.ts'
import { pageFiles } from './page-files.ts'
import { POSTS } from './posts.ts'
import { Watchers, type WatcherLimits } from './watchers.ts'

/** Options of the server. */
export interface ChatServerOptions {
  /** Where the chats are. */
  readonly host: ChatHost
  /** Kind of chats that are begun without one; default `assistant`. */
  readonly kind?: ChatKind | undefined
  /** Port on 127.0.0.1; default 0: any free one. */
  readonly port?: number | undefined
  /** What pages have to bring, the same for all servers of a host; default: a new random one. */
  readonly token?: string | undefined
  readonly limits?: WatcherLimits | undefined
}

/** A running server. Disposing of it frees the port; what workers do goes on. */
export interface ChatServer extends AsyncDisposable {
  /** Address for a browser; the token stands behind the `#`, which browsers send to nobody. */
  readonly url: string
  readonly origin: string
  readonly token: string
  readonly chats: Chats
  readonly watchers: Watchers
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Starts the server on 127.0.0.1. */
export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const { host, kind, port = 0, token, limits } = options
  const secret = token ?? randomBytes(24).toString('base64url')
  const watchers = new Watchers(limits)
  const tell = (id: string | null, change: Change): void => watchers.tell(id, change)
  const chats = new Chats({ host, kind, ids: new ChatIds(secret), tell })
  await chats.open()
  const fileAt = pageFiles()
  let gate: Gate

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET' } = request
    gate.checkOrigin(request)
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1')
    if (!url) throw new HttpFailure(400, 'the address cannot be read')
    const file = fileAt(url.pathname)
    const posted = POSTS.map((post) => ({ post, matched: post.path.exec(url.pathname) })).find(({ matched }) => matched)
    if (!file && !posted && url.pathname !== '/events') throw new HttpFailure(404, 'there is nothing at this path')
    const allowed = posted ? 'POST' : 'GET'
    if (method !== allowed) throw new HttpFailure(405, `this path takes ${allowed}`, { allow: allowed })
    if (file) {
      response.writeHead(200, { 'content-type': file.type })
      response.end(file.body)
      return
    }
    gate.checkToken(request, url)
    if (posted) {
      const answered = await posted.post.act({ chats, request, groups: posted.matched?.groups ?? {} })
      if (answered) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered))
      else response.writeHead(204).end()
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
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    answer(request, response).catch((error: unknown) => refuse(response, error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const bound = (server.address() as AddressInfo).port
  gate = new Gate(secret, bound)
  const origin = `http://127.0.0.1:${bound}`
  return {
    origin,
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

/** Up to which step a page that lost its stream knows the chat; a step that is none means nothing of it. */
function stepOf({ headers }: IncomingMessage): number {
  const given = headers['last-event-id']
  return typeof given === 'string' && /^\d{1,15}$/u.test(given) ? Number(given) : 0
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
