import { modelFailure } from '../failure/model-failure.ts'
import { parseJson } from '../json/parse-json.ts'
import { createSseReader, type ServerSentEvent } from './sse.ts'

/** Most characters of an answer, so that an endless body cannot fill the memory. */
const MOST = 64 * 1024 * 1024

/** Parts of a response that are read. */
export type Readable = Pick<Response, 'text' | 'body' | 'headers'>

/** Reads the body of a complete answer; fails if it is not a JSON object. */
export async function readJson(response: Readable): Promise<unknown> {
  const declared = Number(response.headers.get('content-length') ?? 0)
  if (declared > MOST) throw modelFailure('server', `the answer is longer than ${MOST} bytes`)
  return jsonOf(await response.text(), 'the answer')
}

/**
 * Yields the parsed frames of a streamed answer as they arrive, without empty ones. `done` is yielded in place of `[DONE]`;
 * by default, nothing is.
 */
export async function* readFrames(response: Readable, done?: object): AsyncGenerator<unknown[], void> {
  if (/\bjson\b/u.test(response.headers.get('content-type') ?? '')) {
    // Some endpoints answer a request for a stream with the whole answer.
    yield [await readJson(response)]
    return
  }
  const { body } = response
  if (!body) return
  const reader = createSseReader()
  const bytes = body[Symbol.asyncIterator]()
  let over = false
  try {
    for (;;) {
      const next = await bytes.next()
      over = next.done === true
      const events = next.done ? reader.end() : reader.push(next.value)
      const frames = parsedFrames(events, done)
      if (frames.length > 0) yield frames
      if (over) return
      // Some endpoints say that they are done and keep the connection open.
      const last = events.at(-1)
      if (!last || (last.data !== DONE && !LAST_EVENTS.has(last.event))) continue
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

function parsedFrames(events: readonly ServerSentEvent[], done: object | undefined): unknown[] {
  const frames: unknown[] = []
  for (const { data } of events) {
    if (data === DONE) {
      if (done) frames.push(done)
    } else if (data !== '') frames.push(jsonOf(data, 'a piece of the stream'))
  }
  return frames
}

function jsonOf(text: string, what: string): unknown {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) {
    throw modelFailure('server', `${what} is no JSON object: \`${text.slice(0, 80)}\``)
  }
  return value
}
