import type { XEvent } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { AgUiOptions } from './ag-ui-writer.ts'
import { eventIdOf } from './event-id.ts'
import { toAgUi } from './to-ag-ui.ts'
import { toUiMessageStream } from './to-ui-message-stream.ts'
import type { UiStreamOptions } from './ui-message-writer.ts'
import { within } from './within.ts'
import { readerOf, type Logged, type RunEvents } from './written-run.ts'

/** Options of a response of server-sent events. */
export interface SseOptions {
  /** Status and further headers; default: 200. */
  readonly init?: ResponseInit | undefined
  /** Seconds of silence after which a comment keeps proxies from closing the connection. Default 15. */
  readonly heartbeat?: number | undefined
}

/** Options of `toUiMessageResponse`. */
export interface UiResponseOptions extends UiStreamOptions, SseOptions {}

/**
 * Answers a request of `useChat` with the events of a run, as `toUiMessageStream` writes them. A page that goes away stops the
 * run, or only the reading of a hosted chat.
 */
export function toUiMessageResponse(events: RunEvents, options: UiResponseOptions = {}): Response {
  const { init, heartbeat, ...others } = options
  const wire = { format: dataLine, end: 'data: [DONE]\n\n', headers: { 'x-vercel-ai-ui-message-stream': 'v1' } }
  return sseResponse(toUiMessageStream(events, others), wire, { init, heartbeat })
}

/**
 * Answers a request of an AG-UI client with the events of a run, as `toAgUi` writes them. A page that goes away stops the run, or
 * only the reading of a hosted chat.
 */
export function toAgUiResponse(events: RunEvents, options: AgUiOptions & SseOptions): Response {
  const { init, heartbeat, ...others } = options
  return sseResponse(toAgUi(events, others), { format: dataLine, end: '', headers: {} }, { init, heartbeat })
}

/**
 * Answers a request with the events of a run as they are, for a page that folds them: their run and `seq`, or the cursor of a
 * host, are the id of each. A page that goes away stops the run, or only the reading of a hosted chat; a run that fails breaks the
 * response off.
 */
export function toSseResponse(events: RunEvents, options: SseOptions = {}): Response {
  const format = (item: XEvent | Logged): string => {
    const [id, event] = 'type' in item ? [eventIdOf(item), item] : [item.cursor, item.event]
    return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`
  }
  return sseResponse(readerOf(events), { format, end: '', headers: {} }, options)
}

const dataLine = (item: unknown): string => `data: ${JSON.stringify(item)}\n\n`

/** How items are written. */
interface Wire<T> {
  readonly format: (item: T) => string
  /** Text behind the last item. */
  readonly end: string
  readonly headers: Readonly<Record<string, string>>
}

function sseResponse<T>(items: AsyncIterator<T>, wire: Wire<T>, options: SseOptions): Response {
  checkOptions(options, KINDS, 'answer by server-sent events')
  const { init = {}, heartbeat = 15 } = options
  const headers = new Headers(init.headers)
  const usual = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    // Keeps a proxy from holding the pieces back.
    'x-accel-buffering': 'no',
    ...wire.headers,
  }
  for (const [name, value] of Object.entries(usual)) if (!headers.has(name)) headers.set(name, value)
  const encoder = new TextEncoder()
  let asked: Promise<IteratorResult<T>> | undefined
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        asked ??= items.next()
        const item = await within(asked, heartbeat * 1000)
        if (!item) return controller.enqueue(encoder.encode(':\n\n'))
        asked = undefined
        if (!item.done) return controller.enqueue(encoder.encode(wire.format(item.value)))
        if (wire.end) controller.enqueue(encoder.encode(wire.end))
        controller.close()
      },
      cancel() {
        asked?.catch(ignore)
        void Promise.resolve(items.return?.()).catch(ignore)
      },
    },
    // Nothing is read before the reader asks: the run waits for its reader.
    { highWaterMark: 0 },
  )
  return new Response(body, { ...init, headers })
}

const KINDS: OptionKinds<SseOptions> = { init: kind.object, heartbeat: kind.timeout }

const ignore = (): void => undefined
