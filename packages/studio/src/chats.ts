import type { ChatMessage, EventStream, RunTracer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import { redact } from '@x/kernel/redact'
import type { Records } from '@x/records'
import type { ChatLine } from './protocol.ts'

/** An agent that a person can chat with: what `createAgent` returns, or any agent of `@x/agent`. */
export interface StudioAgent {
  runStream(
    messages: readonly ChatMessage[],
    options: { readonly signal: AbortSignal; readonly tracer?: RunTracer },
  ): EventStream<{ readonly messages: readonly ChatMessage[]; readonly text: string }>
}

/** A message of a person to an agent in a chat. */
interface Said {
  readonly name: string
  readonly text: string
  readonly chat: string
}

/** The place of a turn in its chat. */
interface Turn {
  /** Resolves at the end of the turns before it; undefined if no agent works in the chat. */
  readonly before: Promise<void> | undefined
  readonly signal: AbortSignal
  /** Lets the next turn begin. */
  readonly end: () => void
}

/** Most chats whose messages stay in memory. */
const MAX_CHATS = 100

/** The chats of the page with agents. */
export class Chats {
  readonly #agents: Readonly<Record<string, StudioAgent>>
  readonly #records: Records | null
  readonly #messages = new Map<string, readonly ChatMessage[]>()
  /** The end of the last turn of each chat in which an agent works. */
  readonly #ends = new Map<string, Promise<void>>()

  constructor(agents: Readonly<Record<string, StudioAgent>>, records: Records | null) {
    this.#agents = agents
    this.#records = records
  }

  /**
   * Answers a message of a person with lines of JSON, while the agent works. A page that goes away stops the run. Of messages that
   * come at once in one chat, each is answered behind the one before it.
   */
  answer(name: string, { text, chat }: Readonly<Record<string, unknown>>, signal: AbortSignal): Response {
    const agent = Object.hasOwn(this.#agents, name) ? this.#agents[name]! : undefined
    if (!agent) throw new XError('invalid-argument', `there is no agent \`${name}\` to chat with`)
    if (typeof text !== 'string' || text.trim() === '' || typeof chat !== 'string')
      throw new XError('invalid-argument', 'a message needs a text and the id of its chat')
    const stop = new AbortController()
    const lines = this.#turn(agent, { name, text, chat }, AbortSignal.any([signal, stop.signal]))
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await lines.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      },
      cancel: () => stop.abort(),
    })
    return new Response(body, { headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' } })
  }

  /** Begins a turn of a chat, which answers when the turns before it have ended. */
  #turn(agent: StudioAgent, said: Said, signal: AbortSignal): AsyncGenerator<ChatLine> {
    const { chat } = said
    const before = this.#ends.get(chat)
    const own = Promise.withResolvers<void>()
    // A page that goes away reads no further line: its turn would never come to its end.
    signal.addEventListener('abort', () => own.resolve(), { once: true })
    const end = Promise.all([before, own.promise]).then(() => {
      if (this.#ends.get(chat) === end) this.#ends.delete(chat)
    })
    this.#ends.set(chat, end)
    return this.#lines(agent, said, { before, signal, end: own.resolve })
  }

  async *#lines(
    agent: StudioAgent,
    { name, text, chat }: Said,
    { before, signal, end }: Turn,
  ): AsyncGenerator<ChatLine> {
    try {
      if (before) await abortable(before, signal)
      const tracer = this.#records?.tagged({ command: 'studio', chat })
      const known = this.#messages.get(chat) ?? []
      const run = agent.runStream([...known, { role: 'user', content: text }], { signal, ...(tracer && { tracer }) })
      let runId: string | null = null
      const waits: string[] = []
      for await (const event of run) {
        runId ??= event.runId
        // The calls of the next turn stand at the same places.
        const idOf = (span: string | null): string => `${event.runId}/${span}`
        if (event.type === 'answerBegin')
          yield { type: 'begin', id: idOf(event.parentId), agent: event.agent, model: event.model }
        if (event.type === 'textDelta' && event.index === 0)
          yield { type: 'text', id: idOf(event.parentId), agent: event.agent, text: event.text }
        if (event.type === 'approvalRequested')
          waits.push(event.action.type === 'toolCall' ? `\`${event.action.name}\`` : 'A step')
        if (event.type === 'toolStart' || (event.type === 'toolEnd' && event.outcome !== 'suspended')) {
          const output = event.type === 'toolEnd' ? (event.result ?? '') : null
          const input = event.arguments === null ? '' : JSON.stringify(event.arguments)
          yield { type: 'tool', id: idOf(event.id), agent: event.agent, name: event.name, input, output }
        }
      }
      const result = await run.result
      if (!signal.aborted) this.#keep(chat, result.messages)
      for (const what of waits)
        yield { type: 'error', error: `${what} waits for a decision, which this chat cannot take: it was not done.` }
      yield { type: 'end', runId, text: result.text }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      yield { type: 'error', error: redact(`${name} has failed: ${why}`, []) }
    } finally {
      end()
    }
  }

  #keep(chat: string, messages: readonly ChatMessage[]): void {
    this.#messages.delete(chat)
    this.#messages.set(chat, messages)
    for (const oldest of this.#messages.keys()) {
      if (this.#messages.size <= MAX_CHATS) break
      this.#messages.delete(oldest)
    }
  }
}
