import { crc32 } from 'node:zlib'

const uint = (value: number, bytes: 2 | 4): Buffer => {
  const out = Buffer.alloc(bytes)
  out.writeUIntBE(value, 0, bytes)
  return out
}

function header(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)]
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([7]), uint(text.length, 2), text])
}

/** Writes a message of an event stream of AWS: an event, or an exception. */
export function writeMessage(type: string, payload: object, kind: 'event' | 'exception' = 'event'): Buffer {
  const head = Buffer.concat([
    header(`:${kind}-type`, type),
    header(':content-type', 'application/json'),
    header(':message-type', kind),
  ])
  const body = Buffer.from(JSON.stringify(payload))
  const lengths = Buffer.concat([uint(head.length + body.length + 16, 4), uint(head.length, 4)])
  const message = Buffer.concat([lengths, uint(crc32(lengths), 4), head, body])
  return Buffer.concat([message, uint(crc32(message), 4)])
}
