import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Request that runs code, and methods to answer it. */
export interface FakeCell {
  readonly code: string
  /** Id of the kernel of the request. */
  readonly kernel: string
  /** Sends a message that belongs to the request. */
  say(type: string, content: object): void
  /** Sends a message that belongs to no request. */
  announce(type: string, content: object): void
  /** Ends the request: the kernel answers and becomes idle. */
  end(status?: 'ok' | 'error'): void
  /** Drops the connection. */
  cut(): void
}

/** Server with the protocol of Jupyter; a test plays its kernels. */
export interface FakeJupyter {
  readonly url: string
  /** Method and path of each request, with its body. */
  readonly calls: string[]
  /** Requests that run code. */
  readonly cells: FakeCell[]
  /** Number of sessions. */
  readonly sessions: number
  /** Number of open connections to kernels. */
  readonly connections: number
  close(): Promise<void>
}

/** Options of {@link fakeJupyter}. */
export interface FakeJupyterOptions {
  token?: string
  language?: string
  /** Answers a request that runs code. */
  play: (cell: FakeCell) => void
  /** Answers the interrupt of a kernel. */
  interrupt?: (cell: FakeCell) => void
  /** Number of requests for information on a connection, given by its index, before published messages arrive there. */
  unheard?: (connection: number) => number
  /** Number of times that the server refuses to end a session, as a real one does while it restarts a kernel. */
  refusals?: number
}

/** Starts a fake server. */
export async function fakeJupyter({
  token = 'a-token',
  language = 'python',
  play,
  interrupt = (cell) => cell.end('error'),
  unheard = () => 0,
  refusals = 0,
}: FakeJupyterOptions): Promise<FakeJupyter> {
  const calls: string[] = []
  const cells: FakeCell[] = []
  const sockets = new Set<Duplex>()
  let connected = 0
  let refused = 0
  const sessions = new Map<string, { id: string; kernel: { id: string } }>()
  const isAllowed = (header: string | undefined): boolean => header === `token ${token}`

  const route = (call: string, body: string): [status: number, answer: unknown] => {
    if (call === 'GET /api/kernelspecs') {
      return [200, { default: 'usual', kernelspecs: { usual: { spec: { language } }, other: { spec: { language } } } }]
    }
    if (call === 'POST /api/sessions') {
      const { path } = JSON.parse(body) as { path: string }
      const made = sessions.get(path) ?? { id: `s${calls.length}`, kernel: { id: `k${calls.length}` } }
      sessions.set(path, made)
      return [201, made]
    }
    if (call.endsWith('/interrupt')) {
      interrupt(cells.at(-1)!)
      return [204, undefined]
    }
    if (call.startsWith('DELETE /api/sessions/')) {
      if (refused++ < refusals) return [500, { message: 'Unhandled error' }]
      for (const [path, { id }] of sessions) if (call.endsWith(id)) sessions.delete(path)
      for (const socket of sockets) socket.destroy()
      return [204, undefined]
    }
    return [404, { message: 'no such thing' }]
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const call = `${request.method} ${request.url}`
      calls.push(call)
      const [status, answer] = isAllowed(request.headers.authorization)
        ? route(call, body)
        : [403, { message: 'Forbidden' }]
      response.writeHead(status).end(answer === undefined ? '' : JSON.stringify(answer))
    })
  })
  server.on('upgrade', (request, socket: Duplex) => {
    calls.push(`${request.method} ${request.url?.replace(/\?.*/u, '')}`)
    if (!isAllowed(request.headers.authorization)) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    const kernel = /(?<=kernels\/)[^/]+/u.exec(request.url!)![0]
    let left = unheard(connected++)
    readFrames(socket, (frame) => {
      const { header, content } = JSON.parse(frame) as {
        header: { msg_id: string; msg_type: string }
        content: { code: string }
      }
      const send = (type: string, content: object, parent: object): void => {
        if (!socket.writable || (left > 0 && !type.endsWith('_reply'))) return
        socket.write(frameOf(JSON.stringify({ header: { msg_type: type }, parent_header: parent, content })))
      }
      const say = (type: string, content: object): void => send(type, content, header)
      if (header.msg_type === 'kernel_info_request') {
        say('kernel_info_reply', { status: 'ok' })
        say('status', { execution_state: 'idle' })
        left--
        return
      }
      const cell: FakeCell = {
        code: content.code,
        kernel,
        say,
        announce: (type, body) => send(type, body, {}),
        end(status = 'ok') {
          // As in real kernels, the answer may come first.
          say('execute_reply', { status })
          say('status', { execution_state: 'idle' })
        },
        cut: () => socket.destroy(),
      }
      cells.push(cell)
      say('status', { execution_state: 'busy' })
      play(cell)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    cells,
    get sessions() {
      return sessions.size
    },
    get connections() {
      return sockets.size
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const OPCODE_TEXT = 1
const OPCODE_CLOSE = 8

/** Reads texts from the masked frames of a client. */
function readFrames(socket: Duplex, take: (text: string) => void): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    for (;;) {
      if (rest.length < 2) return
      const short = rest[1]! & 0x7f
      const start = short === 126 ? 4 : short === 127 ? 10 : 2
      if (rest.length < start + 4) return
      const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short
      if (rest.length < start + 4 + length) return
      const mask = rest.subarray(start, start + 4)
      const body = rest.subarray(start + 4, start + 4 + length).map((byte, at) => byte ^ mask[at % 4]!)
      const opcode = rest[0]! & 0x0f
      rest = rest.subarray(start + 4 + length)
      if (opcode === OPCODE_TEXT) take(Buffer.from(body).toString())
      if (opcode === OPCODE_CLOSE) socket.end(Buffer.from([0x88, 0]))
    }
  })
}

function frameOf(text: string): Buffer {
  const body = Buffer.from(text)
  const head =
    body.length < 126
      ? Buffer.from([0x81, body.length])
      : Buffer.from([0x81, 126, body.length >> 8, body.length & 0xff])
  return Buffer.concat([head, body])
}
