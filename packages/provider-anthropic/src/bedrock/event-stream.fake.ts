import { crc32 } from 'node:zlib'

/** Headers of a message; all are texts. */
type Headers = Readonly<Record<string, string>>

const EVENT_HEADERS: Headers = {
  ':event-type': 'chunk',
  ':content-type': 'application/json',
  ':message-type': 'event',
}

/** Writes a message of an event stream of AWS. */
export function writeMessage(headers: Headers, payload: string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const [key, text] = [Buffer.from(name), Buffer.from(value)]
      const length = Buffer.alloc(2)
      length.writeUInt16BE(text.length)
      return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([7]), length, text])
    }),
  )
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(head.length + body.length + 16)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const message = Buffer.concat([prelude, head, body])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(message))
  return Buffer.concat([message, checksum])
}

/** Writes the message of Bedrock for an event of the model; its padding hides the length. */
export const writeChunk = (data: string): Buffer =>
  writeMessage(EVENT_HEADERS, JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdefgh' }))

/** Writes an exception in the middle of a stream. */
export const writeException = (type: string, body: object): Buffer =>
  writeMessage(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify(body),
  )

/** Writes server-sent events as messages of Bedrock. */
export function writeEvents(text: string): Buffer {
  const events = text.replaceAll('\r\n', '\n').split('\n\n')
  const lines = events.flatMap((event) => event.split('\n').filter((line) => line.startsWith('data:')))
  return Buffer.concat(lines.map((line) => writeChunk(line.slice('data:'.length).trimStart())))
}

/** Returns a `fetch` whose server-sent events arrive as messages of Bedrock. */
export function withEventStreams(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.headers.get('content-type') !== 'text/event-stream' || !response.body) return response
    const { status, headers } = response
    headers.set('content-type', 'application/vnd.amazon.eventstream')
    return new Response(response.body.pipeThrough(messagesOf()), { status, headers })
  }
}

/** Turns bytes of server-sent events into those of messages, event by event. */
function messagesOf(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let rest = ''
  return new TransformStream({
    transform(chunk, controller) {
      rest = (rest + decoder.decode(chunk, { stream: true })).replaceAll('\r\n', '\n')
      const end = rest.lastIndexOf('\n\n')
      if (end === -1) return
      controller.enqueue(writeEvents(rest.slice(0, end)))
      rest = rest.slice(end + 2)
    },
    flush: (controller) => controller.enqueue(writeEvents(rest)),
  })
}
