import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { createEventStreamReader } from './event-stream.ts'
import { writeChunk, writeException, writeMessage } from './event-stream.fake.ts'

/** Reads bytes that arrive in these pieces. */
function read(...pieces: Uint8Array[]): unknown[] {
  const reader = createEventStreamReader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

const DAMAGED = {
  event: 'error',
  data: '{"type":"error","error":{"type":"damaged_message","message":"a message of the event stream is damaged"}}',
}
const START = '{"type":"message_start","message":{"id":"ü"}}'
const STOP = '{"type":"message_stop","amazon-bedrock-invocationMetrics":{"outputTokenCount":4}}'
const EVENTS = [
  { event: 'message', data: START },
  { event: 'message_stop', data: STOP },
]
const BYTES = Buffer.concat([writeChunk(START), writeChunk(STOP)])

/** Messages of the test vectors of AWS, in hexadecimal. */
const EMPTY = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex')
const NO_HEADERS = Buffer.from('0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936', 'hex')
const ONE_HEADER = Buffer.from(
  '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
  'hex',
)

test('events are those of the messages, wherever their bytes are cut', () => {
  expect(read(BYTES)).toEqual(EVENTS)
  for (let cut = 1; cut < BYTES.length; cut++) {
    expect(read(BYTES.subarray(0, cut), BYTES.subarray(cut)), `cut at ${cut}`).toEqual(EVENTS)
  }
  expect(read(...Array.from(BYTES, (byte) => Uint8Array.of(byte)))).toEqual(EVENTS)
})

test('messages without an event are skipped, as those of the test vectors of AWS', () => {
  const initial = writeMessage({ ':event-type': 'initial-response', ':message-type': 'event' }, '{}')
  const later = writeMessage({ ':message-type': 'news' }, 'hello')
  expect(read(Buffer.concat([EMPTY, NO_HEADERS, ONE_HEADER, initial, later, BYTES]))).toEqual(EVENTS)
})

test('headers that are not texts are skipped', () => {
  const names = { true: [0], false: [1], byte: [2, 1], short: [3, 0, 1], int: [4, 0, 0, 0, 1] }
  const long = {
    long: [5, ...Array<number>(8).fill(1)],
    bytes: [6, 0, 2, 1, 1],
    time: [8, ...Array<number>(8).fill(1)],
  }
  const all = { ...names, ...long, uuid: [9, ...Array<number>(16).fill(1)] }
  const others = Object.entries(all).map(([name, value]) =>
    Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from(value)]),
  )
  const chunk = writeChunk(START)
  const length = chunk.readUInt32BE(4)
  const heads = Buffer.concat([...others, chunk.subarray(12, 12 + length)])
  expect(read(withHead(heads, chunk.subarray(12 + length, -4)))).toEqual(EVENTS.slice(0, 1))
})

/** Writes a message with headers of any bytes. */
function withHead(head: Buffer, payload: Buffer): Buffer {
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(head.length + payload.length + 16)
  prelude.writeUInt32BE(head.length, 4)
  const start = Buffer.concat([prelude, checksumOf(prelude)])
  const message = Buffer.concat([start, head, payload])
  return Buffer.concat([message, checksumOf(message)])
}

function checksumOf(bytes: Uint8Array): Buffer {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(bytes))
  return checksum
}

test('a byte that changed on the way is found in every place, behind the events before it', () => {
  const [first, second] = [writeChunk(START), writeChunk(STOP)]
  for (let at = 0; at < second.length; at++) {
    const damaged = Buffer.from(second)
    damaged[at]! ^= 1
    const whole = Buffer.concat([first, damaged, first])
    expect(read(whole), `byte ${at}`).toEqual([EVENTS[0], DAMAGED])
  }
})

test('headers that do not fit their length are damage', () => {
  const texts = [
    [200, 97],
    [1, 97],
    [1, 97, 7, 0],
    [1, 97, 7, 0, 9, 97],
    [1, 97, 99],
  ]
  for (const bytes of texts) expect(read(withHead(Buffer.from(bytes), Buffer.from('{}')))).toEqual([DAMAGED])
})

test('an exception is an error event with its type, its words and a status', () => {
  const errorOf = (bytes: Buffer): unknown => JSON.parse((read(bytes)[0] as { data: string }).data).error
  expect(errorOf(writeException('throttlingException', { message: 'Too many requests' }))).toEqual({
    ...{ type: 'throttlingException', message: 'Too many requests', status: 429 },
  })
  const failed = { message: 'wrapped', originalMessage: 'the model failed', originalStatusCode: 503 }
  expect(errorOf(writeException('modelStreamErrorException', failed))).toEqual({
    ...{ type: 'modelStreamErrorException', message: 'the model failed', status: 503 },
  })
  const error = { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'An internal error' }
  expect(errorOf(writeMessage(error, ''))).toEqual({ type: 'InternalError', message: 'An internal error' })
})

test('a message without the bytes of an event is an error event', () => {
  const headers = { ':event-type': 'chunk', ':message-type': 'event' }
  for (const payload of ['', '{}', '{"bytes":7}', '{"bytes":"?"}']) {
    expect(read(writeMessage(headers, payload))).toEqual([
      { event: 'error', data: expect.stringContaining('damaged_message') },
    ])
  }
})

test('a message that is not whole is not read as an event', () => {
  expect(read(BYTES.subarray(0, -1))).toEqual(EVENTS.slice(0, 1))
  expect(read(BYTES.subarray(0, 7))).toEqual([])
})

test('a long message in many pieces is read in the time of its length', () => {
  const data = JSON.stringify({ type: 'ping', text: 'x'.repeat(2 ** 18) })
  const bytes = writeChunk(data)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1024) }, (_, at) =>
    bytes.subarray(at * 1024, (at + 1) * 1024),
  )
  expect(read(...pieces, BYTES)).toEqual([{ event: 'message', data }, ...EVENTS])
})
