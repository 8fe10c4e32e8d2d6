import type { ConfigEntry, ModelErrorKind, ModelResponse } from '@x/interfaces'
import { ModelWrapper } from '@x/model'
import { writeFrame, type WireFormat } from '@x/testing/wire'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { adapters, type Adapter } from './adapters.ts'

const REPLY = { text: 'Hello' }
const SSE_HEADERS = { 'content-type': 'text/event-stream' }
const JSON_HEADERS = { 'content-type': 'application/json' }

/** A reaction of a server in bytes. */
type Reaction = (response: ServerResponse, format: WireFormat, stream: boolean) => void

const whole = (format: WireFormat, stream: boolean): string =>
  stream ? format.frames(REPLY).map(writeFrame).join('') : JSON.stringify(format.whole(REPLY))

const good: Reaction = (response, format, stream) => {
  response.writeHead(200, stream ? SSE_HEADERS : JSON_HEADERS).end(whole(format, stream))
}

/** Sends the same piece until the client leaves. */
const endless =
  (status: number, piece: string): Reaction =>
  (response, _, stream) => {
    response.writeHead(status, stream && status === 200 ? SSE_HEADERS : { ...JSON_HEADERS, 'retry-after': '7' })
    const more = (): void => {
      while (!response.destroyed) if (!response.write(piece)) return void response.once('drain', more)
    }
    more()
  }

const body =
  (text: string, headers: Record<string, string> = {}): Reaction =>
  (response, _, stream) => {
    response.writeHead(200, { ...(stream ? SSE_HEADERS : JSON_HEADERS), ...headers }).end(text)
  }

/** Faults of a provider behind a status of success, with their kinds, complete and streamed. */
const FAULTS: Readonly<Record<string, readonly [Reaction, ModelErrorKind, ModelErrorKind]>> = {
  'a body that is not in its encoding': [body('no gzip at all', { 'content-encoding': 'gzip' }), 'server', 'server'],
  'a compressed body that is cut off': [
    (response, format, stream) => {
      const bytes = gzipSync(whole(format, stream))
      response
        .writeHead(200, { ...(stream ? SSE_HEADERS : JSON_HEADERS), 'content-encoding': 'gzip' })
        .end(bytes.subarray(0, 30))
    },
    'server',
    'truncated',
  ],
  'a bomb': [
    (response, _, stream) => {
      const bytes = gzipSync(Buffer.alloc(4 * 2 ** 20, stream ? 'x' : ' '))
      response.writeHead(200, { ...(stream ? SSE_HEADERS : JSON_HEADERS), 'content-encoding': 'gzip' }).end(bytes)
    },
    'server',
    'server',
  ],
  null: [body('null', JSON_HEADERS), 'server', 'server'],
  'a text': [body('"hello"', JSON_HEADERS), 'server', 'server'],
  'a web page': [body('<html><body>Log in</body></html>', { 'content-type': 'text/html' }), 'server', 'server'],
  'no content': [(response) => response.writeHead(204).end(), 'server', 'truncated'],
  'an endless body': [endless(200, 'data: x'), 'server', 'server'],
  'an endless refusal': [endless(429, '{"error":"busy"}'), 'rate-limit', 'rate-limit'],
}

/** A server with a reaction for each request in turn; the last one repeats. */
interface FaultServer extends AsyncDisposable {
  readonly url: string
  readonly requests: () => number
}

async function serve(format: WireFormat, reactions: readonly Reaction[]): Promise<FaultServer> {
  let requests = 0
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (text += part))
    request.on('end', () => {
      const path = request.url ?? ''
      const stream =
        path.includes('streamGenerateContent') || (JSON.parse(text) as { stream?: boolean }).stream === true
      reactions[Math.min(requests++, reactions.length - 1)]!(response, format, stream)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function asked(
  { provider, entry }: Adapter,
  urls: readonly string[],
  streamed: boolean,
  more: ConfigEntry = {},
): Promise<ModelResponse> {
  const model = new ModelWrapper({
    providers: [provider],
    configList: urls.map((baseUrl) => ({ ...entry, apiKey: 'key-of-a-test', maxRetries: 0, baseUrl, ...more })),
    cacheSeed: null,
    io: { send: () => {}, input: () => '' },
  })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  if (!streamed) return await model.create({ messages })
  const stream = model.createStream({ messages })
  for (;;) {
    const next = await stream.next()
    if (next.done) return next.value
  }
}

const LIMITS = { maxErrorBytes: 10_000, maxEventBytes: 100_000, maxBodyBytes: 200_000 }

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))('%s', (_, adapter) => {
  const { format } = adapter

  for (const streamed of [false, true]) {
    const cases = Object.entries(FAULTS).map(
      ([name, [fault, ...kinds]]) => [name, fault, kinds[streamed ? 1 : 0]] as const,
    )
    test.concurrent.each(cases)(
      `${streamed ? 'stream' : 'call'}: %s goes to the next config`,
      async (_, fault, kind) => {
        await using bad = await serve(format, [fault])
        await using fine = await serve(format, [good])
        const response = await asked(adapter, [bad.url, fine.url], streamed, LIMITS)
        expect(response).toMatchObject({ configId: 1, attempts: [{ configId: 0, kind }] })
        expect(response.choices[0]!.message.content).toBe('Hello')
      },
    )
  }

  test.concurrent.each<[string, (response: ServerResponse) => void]>([
    ['is reset', (response) => response.socket!.resetAndDestroy()],
    ['stays open', () => {}],
  ])('a stream that has finished stands when its connection %s', async (_, end) => {
    await using server = await serve(format, [
      (response, wire) => {
        response.writeHead(200, SSE_HEADERS).write(whole(wire, true), () => setImmediate(() => end(response)))
      },
    ])
    const { choices } = await asked(adapter, [server.url], true, { timeout: 20 })
    expect(choices[0]).toMatchObject({ message: { content: 'Hello' }, finish_reason: 'stop' })
  })

  test('accepts a compressed stream without its checksum', async () => {
    await using server = await serve(format, [
      (response, wire) => {
        const bytes = gzipSync(whole(wire, true))
        response.writeHead(200, { ...SSE_HEADERS, 'content-encoding': 'gzip' }).end(bytes.subarray(0, bytes.length - 6))
      },
    ])
    expect((await asked(adapter, [server.url], true)).choices[0]!.message.content).toBe('Hello')
  })

  test.concurrent.each<[string, Reaction]>([
    ['is empty', body('')],
    ['breaks off', (response) => response.writeHead(200, SSE_HEADERS).write(': hi\n\n', () => response.destroy())],
    ['ends before any content', (response, wire) => response.writeHead(200, SSE_HEADERS).end(writeFrame(wire.unknown))],
  ])('a stream that %s is asked for again on the last config', async (_, fault) => {
    await using server = await serve(format, [fault, good])
    const { choices } = await asked(adapter, [server.url], true, { maxRetries: 1 })
    expect([choices[0]!.message.content, server.requests()]).toEqual(['Hello', 2])
  })
})
