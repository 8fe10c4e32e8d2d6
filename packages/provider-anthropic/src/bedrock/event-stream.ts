import { isRecord, parseJson, type createHttpWire } from '@x/provider-kit'

/** A form of streams with a reader of its own. */
type OwnFormat = Extract<NonNullable<Parameters<typeof createHttpWire>[0]['format']>, object>

type EventReader = ReturnType<OwnFormat['createReader']>
type StreamEvent = ReturnType<EventReader['push']>[number]

/**
 * The event streams of AWS, whose messages hold events of another API in base64. An exception and a damaged message become
 * error events of the form that Anthropic's API has.
 */
export const EVENT_STREAM: OwnFormat = {
  mediaType: 'application/vnd.amazon.eventstream',
  createReader: createEventStreamReader,
}

/** Bytes before the headers of a message: its length, the length of its headers, and a checksum of both. */
const PRELUDE_BYTES = 12

/** Bytes of the checksum at the end of a message. */
const CHECKSUM_BYTES = 4

/** Creates a reader of the messages of an event stream, however their bytes are cut. */
export function createEventStreamReader(): EventReader {
  const rest = new ByteQueue()
  /** Behind a damaged message, nobody knows where the next one begins. */
  let isDamaged = false
  return {
    push(chunk) {
      const events: StreamEvent[] = []
      if (isDamaged) return events
      rest.add(chunk)
      for (;;) {
        const length = lengthOf(rest.bytes)
        if (length === undefined) return events
        if (length !== 0 && rest.bytes.length < length) return events
        const event = length === 0 ? undefined : readMessage(rest.bytes.subarray(0, length))
        if (event === undefined) {
          isDamaged = true
          return [...events, errorEvent('damaged_message', 'a message of the event stream is damaged')]
        }
        if (event !== null) events.push(event)
        rest.drop(length)
      }
    },
    // A message that is not whole is no event: the answer then has no end, and counts as truncated.
    end: () => [],
  }
}

/** Returns the length of the first message, 0 for one that is damaged, or undefined before it is known. */
function lengthOf(bytes: Uint8Array): number | undefined {
  if (bytes.length < PRELUDE_BYTES) return undefined
  const view = viewOf(bytes)
  const [length, headersLength] = [view.getUint32(0), view.getUint32(4)]
  const isRight = view.getUint32(8) === crc32(bytes.subarray(0, 8))
  return isRight && length >= PRELUDE_BYTES + headersLength + CHECKSUM_BYTES ? length : 0
}

/** Reads a whole message: an event, null for one without content for us, or undefined if it is damaged. */
function readMessage(bytes: Uint8Array): StreamEvent | null | undefined {
  const view = viewOf(bytes)
  const end = bytes.length - CHECKSUM_BYTES
  if (view.getUint32(end) !== crc32(bytes.subarray(0, end))) return undefined
  const headersEnd = PRELUDE_BYTES + view.getUint32(4)
  const headers = readHeaders(bytes.subarray(PRELUDE_BYTES, headersEnd))
  if (!headers) return undefined
  const text = new TextDecoder().decode(bytes.subarray(headersEnd, end))
  const type = headers[':message-type']
  if (type === 'event') return headers[':event-type'] === 'chunk' ? chunkEvent(text) : null
  // Messages of other types are of a later version.
  if (type !== 'exception' && type !== 'error') return null
  const body = parseJson(text)
  const { message, originalMessage, originalStatusCode: status } = isRecord(body) ? body : {}
  const word = headers[':exception-type'] ?? headers[':error-code'] ?? type
  const said = [originalMessage, message, headers[':error-message'], text].find((each) => typeof each === 'string')
  return errorEvent(word, said as string, typeof status === 'number' ? status : EXCEPTION_STATUSES[word])
}

/** Statuses that the exceptions have outside of a stream, and 500 for a model that failed in the middle of its answer. */
const EXCEPTION_STATUSES: Readonly<Record<string, number>> = {
  internalServerException: 500,
  modelStreamErrorException: 500,
  modelTimeoutException: 408,
  serviceUnavailableException: 503,
  throttlingException: 429,
  validationException: 400,
}

/** Returns the event of the model in a message, whose payload is `{ bytes }` in base64. */
function chunkEvent(payload: string): StreamEvent {
  const chunk = parseJson(payload)
  const base64: unknown = isRecord(chunk) ? chunk['bytes'] : undefined
  try {
    if (typeof base64 !== 'string') return errorEvent('damaged_message', 'a message of the event stream has no `bytes`')
    const data = new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)))
    return { event: data.startsWith(LAST_EVENT) ? 'message_stop' : 'message', data }
  } catch {
    return errorEvent('damaged_message', '`bytes` of a message of the event stream are not base64')
  }
}

/** Beginning of the last event of an answer. */
const LAST_EVENT = '{"type":"message_stop"'

const errorEvent = (type: string, message: string, status?: number): StreamEvent => ({
  event: 'error',
  data: JSON.stringify({ type: 'error', error: { type, message, status } }),
})

/** Bytes of the values of headers whose type has a fixed length: true, false, and numbers of 1, 2, 4 and 8 bytes. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8]

/** Types of headers: bytes, text, time and UUID. */
const [BYTES_TYPE, TEXT_TYPE, TIME_TYPE, UUID_TYPE] = [6, 7, 8, 9]

/** Reads the headers that are texts and skips the others; undefined if they do not fit their length. */
function readHeaders(bytes: Uint8Array): Record<string, string> | undefined {
  const view = viewOf(bytes)
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes[at]!
    if (nameEnd + 1 > bytes.length) return undefined
    const name = new TextDecoder().decode(bytes.subarray(at + 1, nameEnd))
    const type = bytes[nameEnd]!
    at = nameEnd + 1
    if (type === TEXT_TYPE || type === BYTES_TYPE) {
      if (at + 2 > bytes.length) return undefined
      const end = at + 2 + view.getUint16(at)
      if (end > bytes.length) return undefined
      if (type === TEXT_TYPE) headers[name] = new TextDecoder().decode(bytes.subarray(at + 2, end))
      at = end
    } else {
      const length = type === TIME_TYPE ? 8 : type === UUID_TYPE ? 16 : VALUE_BYTES[type]
      if (length === undefined) return undefined
      at += length
    }
  }
  return headers
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/** Least size of the room for bytes that wait for the rest of their message. */
const MIN_ROOM_BYTES = 1024

/** Bytes in the order of their arrival. Room doubles, so that a long message in many pieces is copied few times. */
class ByteQueue {
  #room = new Uint8Array(MIN_ROOM_BYTES)
  #from = 0
  #to = 0

  get bytes(): Uint8Array {
    return this.#room.subarray(this.#from, this.#to)
  }

  add(chunk: Uint8Array): void {
    const length = this.#to - this.#from
    if (this.#to + chunk.length > this.#room.length) {
      const isFull = length + chunk.length > this.#room.length / 2
      const room = isFull ? new Uint8Array(2 * (length + chunk.length)) : this.#room
      room.set(this.bytes)
      this.#room = room
      this.#from = 0
      this.#to = length
    }
    this.#room.set(chunk, this.#to)
    this.#to += chunk.length
  }

  drop(length: number): void {
    this.#from += length
  }
}

/** The polynomial of CRC-32, with its bits reversed. */
const CRC_POLYNOMIAL = 0xed_b8_83_20

const CRC_TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ CRC_POLYNOMIAL : rest >>> 1
  return rest
})

/** Returns the checksum of bytes by CRC-32. */
function crc32(bytes: Uint8Array): number {
  let rest = 0xff_ff_ff_ff
  for (const byte of bytes) rest = CRC_TABLE[(rest ^ byte) & 0xff]! ^ (rest >>> 8)
  return (rest ^ 0xff_ff_ff_ff) >>> 0
}
