import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Answers of a fake engine that replace its successful ones, by kind of request. */
export type Answers = Record<string, (response: ServerResponse, request: IncomingMessage) => void>

/** Starts an engine on a Unix socket that has one image; its commands print `ran` and succeed. */
export async function fakeEngine(
  answers: Answers = {},
): Promise<{ socket: string; calls: string[]; bodies: string[]; close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'x-fake-engine-'))
  const socket = join(directory, 'engine.sock')
  const calls: string[] = []
  const bodies: string[] = []
  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const defaults: Answers = {
    'GET container': (response) => json(response, 404, { message: 'no such container' }),
    'GET image': (response) => json(response, 200, {}),
    'POST pull': (response) => json(response, 200, { status: 'done' }),
    'POST create': (response) => json(response, 201, { Id: 'c' }),
    'POST start': (response) => response.writeHead(204).end(),
    'POST exec': (response) => json(response, 201, { Id: 'e' }),
    'POST run': (response) => response.end(frame(1, 'ran\n')),
    'GET exec': (response) => json(response, 200, { ExitCode: 0 }),
    'DELETE container': (response) => response.writeHead(204).end(),
  }
  const server = createServer((request, response) => {
    const kind = `${request.method} ${requestKind(request.url ?? '')}`
    calls.push(kind)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString())
      ;(answers[kind] ?? defaults[kind] ?? ((r) => json(r, 500, { message: `no ${kind}` })))(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    socket,
    calls,
    bodies,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true })
    },
  }
}

/** Returns a frame of the multiplexed output of an engine. */
export function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

function requestKind(url: string): string {
  if (url.startsWith('/exec/')) return url.endsWith('/start') ? 'run' : 'exec'
  if (url.startsWith('/images/create')) return 'pull'
  if (url.startsWith('/images/')) return 'image'
  if (url.includes('/create')) return 'create'
  if (url.endsWith('/start')) return 'start'
  return url.endsWith('/exec') ? 'exec' : 'container'
}
