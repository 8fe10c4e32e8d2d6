import type { ConfigEntry, MaybePromise } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { BrokenBodyError, isDecompressionError, RefusalError, type HttpRefusal } from '../failure/convert-error.ts'
import { modelFailure, plainText } from '../failure/model-failure.ts'
import { parseJson } from '../json/wire-values.ts'
import { wholeBody } from './lean-response.ts'
import { watcherOf } from './request-watch.ts'
import { createJsonLineReader, createSseReader, type EventReader, type StreamEvent } from './stream-events.ts'

/** Limits in bytes of received data, after decompression; a config entry has them. */
export type ReceiveLimits = Pick<ConfigEntry, 'maxErrorBytes' | 'maxEventBytes' | 'maxBodyBytes'>

const DEFAULT_LIMITS = { maxErrorBytes: 64 * 1024, maxEventBytes: 16 * 1024 ** 2, maxBodyBytes: 64 * 1024 ** 2 }

function limitOf(limits: ReceiveLimits, name: keyof ReceiveLimits): number {
  return limits[name] ?? DEFAULT_LIMITS[name]
}

function limitFailure(subject: string, name: keyof ReceiveLimits, limit: number): XError {
  return modelFailure('server', `${subject} is longer than ${limit} bytes: raise \`${name}\` if that is right`)
}

/**
 * Returns a successful response; throws the refusal of any other one, with the first `maxErrorBytes` of its body, as
 * `readRefusal` returns it.
 */
export async function requireSuccess(
  response: Response,
  limits: ReceiveLimits = {},
  readRefusal: (refusal: HttpRefusal) => HttpRefusal = (refusal) => refusal,
): Promise<Response> {
  if (response.ok) return response
  const { status, headers } = response
  // The text of a body that breaks off is the part that arrived.
  const { text } = await readText(response, limitOf(limits, 'maxErrorBytes'))
  throw new RefusalError(readRefusal({ status, headers, body: text }))
}

/**
 * Reads the body of a complete answer; fails with kind `server` if it is not a JSON object, or longer than `maxBodyBytes`. An
 * answer that is whole stands even if its connection breaks behind it.
 */
export async function readJson(response: ReadableResponse, limits: ReceiveLimits = {}): Promise<unknown> {
  const limit = limitOf(limits, 'maxBodyBytes')
  const declared = response.headers.get('content-length')
  if (declared !== null && Number(declared) > limit) {
    await response.body?.cancel()
    throw limitFailure('the answer', 'maxBodyBytes', limit)
  }
  const read = readText(response, limit)
  return wholeJson('then' in read ? await read : read, limit)
}

/** Returns the object in the text of a complete answer. */
function wholeJson({ text, isCut, failure }: BodyText, limit: number): object {
  if (isCut) throw limitFailure('the answer', 'maxBodyBytes', limit)
  if (failure !== undefined && !isObject(parseJson(text))) throw failure
  return jsonOf(text, 'the answer')
}

/**
 * Reads the body of an answer as text; fails with kind `server` if it is longer than `maxBodyBytes`. With `onLine`, its lines
 * go there until it returns true, and the text is empty: each line is limited by `maxEventBytes`, and the whole is not.
 */
export async function readWhole(
  response: ReadableResponse,
  limits: ReceiveLimits = {},
  onLine?: (line: string) => boolean,
): Promise<string> {
  if (onLine) {
    await readLines(response, limitOf(limits, 'maxEventBytes'), onLine)
    return ''
  }
  const limit = limitOf(limits, 'maxBodyBytes')
  const { text, isCut, failure } = await readText(response, limit)
  if (isCut) throw limitFailure('the answer', 'maxBodyBytes', limit)
  if (failure !== undefined) throw failure
  return text
}

/** Reads the lines of a body that are not blank, until `onLine` returns true. */
async function readLines(
  response: ReadableResponse,
  maxLineBytes: number,
  onLine: (line: string) => boolean,
): Promise<void> {
  const { body } = response
  if (!body) return
  const bytes = bytesOf(body)
  const lines = createJsonLineReader()
  const watcher = watcherOf(response)
  let bodyBytes = 0
  let lineBytes = 0
  let isOver = false
  try {
    while (!isOver) {
      const next = await bytes.next().catch((error: unknown) => {
        isOver = true
        throw brokenBody(error, bodyBytes)
      })
      isOver = next.done === true
      const { length = 0 } = next.value ?? {}
      if (!isOver) watcher?.onBytes()
      const events = next.value ? lines.push(next.value) : lines.end()
      bodyBytes += length
      lineBytes = events.length > 0 ? 0 : lineBytes + length
      const isTooLong = lineBytes > maxLineBytes || events.some(({ data }) => data.length > maxLineBytes)
      if (isTooLong) throw limitFailure('a line of the answer', 'maxEventBytes', maxLineBytes)
      if (events.some(({ data }) => onLine(data))) return
    }
  } finally {
    if (!isOver) await bytes.return?.()
  }
}

/** Form of a stream: server-sent events, newline-delimited JSON, or one with a reader of its own, whose events hold JSON. */
export type StreamFormat = 'sse' | 'ndjson' | { readonly mediaType: string; readonly createReader: () => EventReader }

/** Form of a stream and the limits for its data. */
export interface FrameOptions {
  /** Form of the stream; default `sse`. */
  readonly format?: StreamFormat | undefined
  /** Frame that stands for `[DONE]`; default: none. */
  readonly done?: object | undefined
  /** Limits; those of the config entry. */
  readonly limits?: ReceiveLimits | undefined
}

/**
 * Yields the parsed frames of a streamed answer as they arrive, without empty ones. Fails with kind `server` for a frame
 * that is not a JSON object, for a web page, and beyond the limits.
 */
export function readFrames(response: ReadableResponse, options: FrameOptions = {}): AsyncGenerator<unknown[], void> {
  const { format = 'sse' } = options
  const type = response.headers.get('content-type') ?? ''
  const isJson = format === 'sse' ? /\bjson\b/u.test(type) : /\/json\b/u.test(type)
  if (typeof format === 'string') return readStream(response, type, isJson, options)
  // A reader of another form would take them for a damaged stream.
  const isOther = isPage('', type) || (isJson && !type.startsWith(format.mediaType))
  return isOther ? readOther(response, type, options) : readStream(response, type, false, options)
}

/** Reads what came in place of a stream: a whole answer, or a web page, with which it fails. */
async function* readOther(
  response: ReadableResponse,
  type: string,
  { limits = {} }: FrameOptions,
): AsyncGenerator<unknown[], void> {
  if (isPage('', type)) throw pageFailure((await readText(response, MAX_PAGE_BYTES)).text)
  yield listed(await readJson(response, limits))
}

/** Reads a stream; `isJson` tells whether it calls itself JSON, as some do, and as a whole answer in its place does. */
async function* readStream(
  response: ReadableResponse,
  type: string,
  isJson: boolean,
  { format = 'sse', done, limits = {} }: FrameOptions,
): AsyncGenerator<unknown[], void> {
  const { body } = response
  if (!body) return
  let reader: EventReader | undefined = readerOf(format)
  const decoder = isJson ? new TextDecoder() : undefined
  let whole = decoder && ''
  const [maxEventBytes, maxBodyBytes] = [limitOf(limits, 'maxEventBytes'), limitOf(limits, 'maxBodyBytes')]
  const bytes = bytesOf(body)
  const watcher = watcherOf(response)
  let bodyBytes = 0
  let eventBytes = 0
  /** The beginning of the body; empty once there are frames. */
  let head: string | undefined
  let isOver = false
  try {
    for (;;) {
      let chunk: Uint8Array | undefined
      let broken: unknown
      try {
        const next = await bytes.next()
        if (!next.done) chunk = next.value
      } catch (error) {
        broken = brokenBody(error, bodyBytes)
      }
      isOver = chunk === undefined
      const events = (chunk ? reader?.push(chunk) : reader?.end()) ?? []
      if (chunk) {
        // A frame is a sign of life to those who wait for it; comments and parts of a frame are told to the watcher.
        if (events.length === 0) watcher?.onBytes()
        bodyBytes += chunk.length
        eventBytes = events.length > 0 ? 0 : eventBytes + chunk.length
        if (whole !== undefined) whole += decoder!.decode(chunk, { stream: true })
        else if (eventBytes > maxEventBytes)
          throw limitFailure('an event of the stream', 'maxEventBytes', maxEventBytes)
        if (bodyBytes > maxBodyBytes) throw limitFailure('the stream', 'maxBodyBytes', maxBodyBytes)
        head ??= new TextDecoder().decode(chunk.subarray(0, MAX_PAGE_BYTES))
      }
      const { frames, isLast, failure } = parseEvents(events, done, maxEventBytes)
      if (whole !== undefined && frames.length === 0 && !isLast) {
        if (failure !== undefined) reader = undefined
        if (!isOver) continue
        yield listed(wholeJson({ text: whole, isCut: false, failure: broken }, maxBodyBytes))
        return
      }
      whole = undefined
      if (frames.length > 0) yield frames
      if (frames.length > 0) head = ''
      if (!isLast && (broken ?? failure) !== undefined) throw broken ?? failure
      if (isOver && head && isPage(head, type)) throw pageFailure(head)
      if (isOver) return
      // Some endpoints say that they are done and keep the connection open.
      if (!isLast) continue
      // A stream of the platform cannot be left while it is read: it is cancelled.
      isOver = !('getReader' in body) && drainInBackground(bytes)
      return
    }
  } finally {
    if (!isOver) await bytes.return?.()
  }
}

/** Returns the objects of a whole answer: some endpoints send the pieces of a stream as a list. */
const listed = (answer: unknown): unknown[] => (Array.isArray(answer) ? answer.filter(isObject) : [answer])

function readerOf(format: StreamFormat): EventReader {
  if (typeof format !== 'string') return format.createReader()
  return format === 'sse' ? createSseReader() : createJsonLineReader()
}

/** Time that the end of a stream may take after its last frame. */
const DRAIN_TIMEOUT_MS = 1000

/** Reads on in the background for a moment: a connection can be used again after the end of a response. */
function drainInBackground(bytes: AsyncIterator<Uint8Array>): true {
  const timer = setTimeout(() => void bytes.return?.(), DRAIN_TIMEOUT_MS)
  timer.unref()
  const drain = async (): Promise<void> => {
    while (!(await bytes.next()).done);
  }
  drain().then(
    () => clearTimeout(timer),
    () => clearTimeout(timer),
  )
  return true
}

/** Data of the last event of a stream of chat completions. */
const DONE_DATA = '[DONE]'

/** Types of the last event of a stream of OpenAI's Responses API and of Anthropic's, which send no `[DONE]`. */
const LAST_EVENTS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'message_stop',
])

/** Parses events up to the last one of a stream and ignores the rest. Frames before one that cannot be read are given. */
function parseEvents(
  events: readonly StreamEvent[],
  done: object | undefined,
  maxEventBytes: number,
): { readonly frames: unknown[]; readonly isLast: boolean; readonly failure?: unknown } {
  const frames: unknown[] = []
  try {
    for (const { data, event } of events) {
      if (data.length > maxEventBytes) throw limitFailure('an event of the stream', 'maxEventBytes', maxEventBytes)
      if (data === DONE_DATA) {
        if (done) frames.push(done)
        return { frames, isLast: true }
      }
      if (data !== '') frames.push(jsonOf(data, 'a piece of the stream'))
      if (event !== 'message' && LAST_EVENTS.has(event)) return { frames, isLast: true }
    }
    return { frames, isLast: false }
  } catch (failure) {
    return { frames, isLast: false, failure }
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Makes the error of a body that broke off; an abort, and a body that cannot be decompressed, keep their own. */
function brokenBody(error: unknown, bytes: number): unknown {
  const isOther = isXError(error) || isDecompressionError(error) || (error as Error | undefined)?.name === 'AbortError'
  return isOther ? error : new BrokenBodyError(bytes, error)
}

function jsonOf(text: string, subject: string): object {
  const value = parseJson(text)
  if (isObject(value)) return value
  if (text.trim() === '') throw modelFailure('server', `${subject} is empty`)
  if (isPage(text)) throw pageFailure(text)
  throw modelFailure('server', `${subject} is not a JSON object: \`${text.slice(0, 80)}\``)
}

/** Bytes of a web page that are searched for words to show. */
const MAX_PAGE_BYTES = 4096

/** Tells a web page: proxies, login pages and wrong URLs answer with one and status 200. */
function isPage(text: string, type: string = ''): boolean {
  return /\bhtml\b/u.test(type) || /^\s*<(?:!doctype|html|head|body)\b/iu.test(text)
}

function pageFailure(text: string): XError {
  const words = plainText(text.slice(0, MAX_PAGE_BYTES))
  return modelFailure(
    'server',
    `the answer is a web page (HTML)${words && `, which says: \`${words}\``}, as of a proxy, a login page or a wrong \`baseUrl\``,
    { details: { webPage: true } },
  )
}

/** Parts of a response that are read. */
type ReadableResponse = Pick<Response, 'text' | 'body' | 'headers'>

/** Text of a body up to a limit. */
interface BodyText {
  readonly text: string
  /** Whether the body is longer than the limit. */
  readonly isCut: boolean
  /** Error of a body that broke off behind the text. */
  readonly failure?: unknown
}

/** Reads a body as text up to a number of bytes and cancels the rest. A body that has arrived whole needs no waiting. */
function readText(response: ReadableResponse, maxBytes: number): MaybePromise<BodyText> {
  const chunks = response.body && wholeBody(response.body)
  if (!chunks) return awaitText(response, maxBytes)
  if (chunks.length > 0) watcherOf(response)?.onBytes()
  return textOf(chunks, maxBytes)
}

/** Decodes whole texts; it keeps nothing from one to the next. */
const DECODER = new TextDecoder()

function textOf(chunks: readonly Uint8Array[], maxBytes: number): BodyText {
  if (chunks.length === 1 && chunks[0]!.length <= maxBytes) return { text: DECODER.decode(chunks[0]), isCut: false }
  const decoder = new TextDecoder()
  let text = ''
  let left = maxBytes
  for (const chunk of chunks) {
    if (chunk.length > left) return { text: text + decoder.decode(chunk.subarray(0, left)), isCut: true }
    text += decoder.decode(chunk, { stream: true })
    left -= chunk.length
  }
  return { text: text + decoder.decode(), isCut: false }
}

async function awaitText(response: ReadableResponse, maxBytes: number): Promise<BodyText> {
  const { body } = response
  if (!body) return { text: await response.text(), isCut: false }
  const decoder = new TextDecoder()
  const bytes = bytesOf(body)
  const watcher = watcherOf(response)
  let text = ''
  let length = 0
  try {
    for (;;) {
      const { done, value } = await bytes.next()
      if (done) break
      watcher?.onBytes()
      length += value.length
      if (length > maxBytes) {
        await bytes.return?.()
        return { text: text + decoder.decode(value.subarray(0, maxBytes - length + value.length)), isCut: true }
      }
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    return { text: text + decoder.decode(), isCut: false, failure: brokenBody(error, length) }
  }
  return { text: text + decoder.decode(), isCut: false }
}

/** Returns the chunks of a body; not every platform can iterate over its streams. */
function bytesOf(body: NonNullable<Response['body']>): AsyncIterator<Uint8Array> {
  if (Symbol.asyncIterator in body) return body[Symbol.asyncIterator]()
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  return {
    next: async () => {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done: false, value }
    },
    return: async () => {
      await reader.cancel()
      return { done: true, value: undefined }
    },
  }
}
