import type { EventStream, SteeringSource, XEvent } from '@x/interfaces'
import { messageText } from '../data/message.ts'
import { steer, type Steerable } from '../run/steering.ts'

/**
 * The events of a run, with a promise of its `result`, and its answer as text. It can be read once, in one of these ways. A
 * message of `steer` waits until somebody reads, since the run does.
 */
export interface RunStream<T> extends EventStream<T>, Steerable {
  /**
   * The texts of the agent as they come, those between its calls included, an empty line between two answers, also behind one
   * that broke off and is given anew by another model. Not in it: reasoning, and what agents inside tools say. A run that fails
   * fails its reader; leaving it stops the run, and a `signal` stops it also while its model is silent.
   */
  readonly textStream: ReadableStream<string> & AsyncIterable<string>
  /**
   * Gives a response of a server whose body is `textStream`, once its first text is there: a run that fails before it rejects,
   * so that the server can answer with a status of its own. A client that goes away stops the run; until the first text only
   * the `signal` of the run does.
   */
  toTextResponse(init?: ResponseInit): Promise<Response>
}

/** Adds the answer as text to the stream of a run of an agent, and the messages that `steering` takes. */
export function runStreamOf<T>(stream: EventStream<T>, agent: string, steering: SteeringSource): RunStream<T> {
  let text: RunStream<T>['textStream'] | undefined
  return Object.defineProperties(stream, {
    textStream: { get: () => (text ??= textStreamOf(stream, agent)) },
    steer: { value: async (message: string) => await steer(steering, message) },
    toTextResponse: {
      async value(this: RunStream<T>, init: ResponseInit = {}): Promise<Response> {
        return await textResponse(this.textStream, init)
      },
    },
  }) as RunStream<T>
}

function textStreamOf<T>(stream: EventStream<T>, agent: string): RunStream<T>['textStream'] {
  const events = stream[Symbol.asyncIterator]()
  const texts = new AnswerTexts(agent)
  return new ReadableStream<string>(
    {
      async pull(controller) {
        for (;;) {
          // eslint-disable-next-line no-await-in-loop -- the next text may be several events away
          const { done, value } = await events.next()
          const text = done ? texts.rest() : texts.textIn(value)
          if (text) controller.enqueue(text)
          if (done) return controller.close()
          if (text) return
        }
      },
      async cancel() {
        await stream.return(undefined as T)
      },
    },
    // Nothing is read before the reader asks: the run waits for its reader.
    { highWaterMark: 0 },
  )
}

/** Finds the texts of the agent of a run in its events. */
class AnswerTexts {
  readonly #agent: string
  /** The chat of the run, which the first event tells. */
  #chatId: string | null | undefined
  /** True once the answer under way has come in pieces. */
  #inPieces = false
  /** The first half of a sign whose second half comes with the next piece: apart, neither has bytes of its own. */
  #half = ''
  /** True if the next text begins an answer behind another one. */
  #isBehind = false
  #any = false

  constructor(agent: string) {
    this.#agent = agent
  }

  textIn(event: XEvent): string {
    this.#chatId ??= event.chatId
    if (event.agent !== this.#agent || event.chatId !== this.#chatId) return ''
    if (event.type === 'textDelta' && event.index === 0) {
      this.#inPieces = true
      return this.#next(event.text)
    }
    // An answer broke off, and another model gives it anew.
    if (event.type === 'answerBegin' && this.#inPieces) this.#isBehind = this.#any
    if (event.type !== 'receivedMessage') return ''
    const text = this.#inPieces ? '' : this.#next(messageText(event.message))
    this.#inPieces = false
    this.#isBehind = this.#any
    return text
  }

  /** Returns what is left when the run has ended. */
  rest(): string {
    const half = this.#half
    this.#half = ''
    return half
  }

  #next(piece: string): string {
    const all = this.#half + piece
    const text = /\p{Cs}$/u.test(all) ? all.slice(0, -1) : all
    this.#half = all.slice(text.length)
    if (!text) return ''
    const whole = this.#isBehind ? `\n\n${text}` : text
    this.#isBehind = false
    this.#any = true
    return whole
  }
}

async function textResponse(text: ReadableStream<string>, init: ResponseInit): Promise<Response> {
  const headers = new Headers(init.headers)
  if (!headers.has('content-type')) headers.set('content-type', 'text/plain; charset=utf-8')
  // Keeps a proxy from holding the pieces back.
  if (!headers.has('x-accel-buffering')) headers.set('x-accel-buffering', 'no')
  const reader = text.getReader()
  let first: Awaited<ReturnType<typeof reader.read>> | undefined = await reader.read()
  const encoder = new TextEncoder()
  const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = first ?? (await reader.read())
        first = undefined
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async (reason) => await reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return new Response(bytes, { ...init, headers })
}
