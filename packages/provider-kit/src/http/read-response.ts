import type { XError } from '@x/kernel'
import { modelFailure } from '../failure/model-failure.ts'
import { plainText } from '../failure/plain-text.ts'
import { parseJson } from '../json/parse-json.ts'
import { bytesOf, readText, type Readable } from './read-text.ts'
import { limitOf, tooLong, type ReceiveLimits } from './receive-limits.ts'
import { createJsonLineReader, createSseReader, type StreamEvent } from './stream-events.ts'

/** Form of a stream and the limits of what is received. */
export interface FrameOptions {
  /** Server-sent events, or newline-delimited JSON; default `sse`. */
  readonly format?: 'sse' | 'ndjson' | undefined
  /** Yielded in place of `[DONE]`; default: nothing is. */
  readonly done?: object | undefined
  /** Limits; those of the config entry. */
  readonly limits?: ReceiveLimits | undefined
}

/** Reads the body of a complete answer; fails with kind `server` if it is not a JSON object, or longer than `maxBodyBytes`. */
export async function readJson(response: Readable, limits: ReceiveLimits = {}): Promise<unknown> {
  const most = limitOf(limits, 'maxBodyBytes')
  const declared = Number(response.headers.get('content-length') ?? 0)
  if (declared > most) await response.body?.cancel()
  const { text, cut } = declared > most ? { text: '', cut: true } : await readText(response, most)
  if (cut) throw tooLong('the answer', 'maxBodyBytes', most)
  return jsonOf(text, 'the answer')
}

/**
 * Yields the parsed frames of a streamed answer as they arrive, without empty ones. Fails with kind `server` for a frame
 * that is not a JSON object, for a web page, and beyond the limits.
 */
export async function* readFrames(response: Readable, options: FrameOptions = {}): AsyncGenerator<unknown[], void> {
  const { format = 'sse', done, limits = {} } = options
  const type = response.headers.get('content-type') ?? ''
  if (format === 'sse' ? /\bjson\b/u.test(type) : /\/json\b/u.test(type)) {
    // Some endpoints answer a request for a stream with the whole answer.
    yield [await readJson(response, limits)]
    return
  }
  const { body } = response
  if (!body) return
  const reader = format === 'sse' ? createSseReader() : createJsonLineReader()
  const [mostEvent, mostBody] = [limitOf(limits, 'maxEventBytes'), limitOf(limits, 'maxBodyBytes')]
  const bytes = bytesOf(body)
  let all = 0
  let pending = 0
  /** The beginning of the body. */
  let head: string | undefined
  let hasFrames = false
  let over = false
  try {
    for (;;) {
      const next = await bytes.next()
      over = next.done === true
      const events = next.done ? reader.end() : reader.push(next.value)
      if (!next.done) {
        const { length } = next.value
        all += length
        pending = events.length > 0 ? 0 : pending + length
        if (pending > mostEvent) throw tooLong('an event of the stream', 'maxEventBytes', mostEvent)
        if (all > mostBody) throw tooLong('the stream', 'maxBodyBytes', mostBody)
      }
      const { frames, last } = parsedFrames(events, done, mostEvent)
      if (!next.done) head ??= new TextDecoder().decode(next.value.subarray(0, MOST_SHOWN))
      if (frames.length > 0) yield frames
      hasFrames ||= frames.length > 0
      if (over && !hasFrames && head && isPage(head, type)) throw pageFailure(head)
      if (over) return
      // Some endpoints say that they are done and keep the connection open.
      if (!last) continue
      // A stream of the platform cannot be left while it is read: it is cancelled.
      over = !('getReader' in body) && lingering(bytes)
      return
    }
  } finally {
    if (!over) await bytes.return?.()
  }
}

/** Milliseconds that the end of a stream may take after it has said that it is done. */
const LINGER = 1000

/** Reads on in the background for a moment: a connection can be used again after the end of a response. */
function lingering(bytes: AsyncIterator<Uint8Array>): true {
  const timer = setTimeout(() => void bytes.return?.(), LINGER)
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

/** Last frame of a stream of OpenAI's kind. */
const DONE = '[DONE]'

/** Types of the last event of a stream of OpenAI's Responses API, which has no such frame. */
const LAST_EVENTS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** Parses events up to the last one of a stream; what is behind it is not read. */
function parsedFrames(
  events: readonly StreamEvent[],
  done: object | undefined,
  most: number,
): { readonly frames: unknown[]; readonly last: boolean } {
  const frames: unknown[] = []
  for (const { data, event } of events) {
    if (data.length > most) throw tooLong('an event of the stream', 'maxEventBytes', most)
    if (data === DONE) {
      if (done) frames.push(done)
      return { frames, last: true }
    }
    if (data !== '') frames.push(jsonOf(data, 'a piece of the stream'))
    if (event !== 'message' && LAST_EVENTS.has(event)) return { frames, last: true }
  }
  return { frames, last: false }
}

function jsonOf(text: string, what: string): unknown {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null) return value
  if (text.trim() === '') throw modelFailure('server', `${what} is empty`)
  if (isPage(text)) throw pageFailure(text)
  throw modelFailure('server', `${what} is not a JSON object: \`${text.slice(0, 80)}\``)
}

/** Bytes of a page of which the words are shown. */
const MOST_SHOWN = 4096

/** Tells a web page, which proxies, login pages and wrong URLs give with status 200. */
function isPage(text: string, type: string = ''): boolean {
  return /\bhtml\b/u.test(type) || /^\s*<(?:!doctype|html|head|body)\b/iu.test(text)
}

function pageFailure(text: string): XError {
  const words = plainText(text.slice(0, MOST_SHOWN))
  return modelFailure(
    'server',
    `the answer is a web page (HTML)${words && `, which says: \`${words}\``}: check \`baseUrl\`, and whether a proxy or a login page answers in place of the model`,
  )
}
