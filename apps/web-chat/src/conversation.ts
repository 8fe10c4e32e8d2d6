import type { ChatSession } from '@x/session'
import type { ApprovalDecision, ChatResult, EventStream, XEvent } from '@x/interfaces'
import { isXError, runStream, XError } from '@x/kernel'
import { each } from '@x/kernel/each'
import type { Change } from './item.ts'
import { Questions } from './questions.ts'
import { Transcript } from './transcript.ts'

/** Options of a conversation. */
export interface ConversationOptions {
  /** Opens the chat; its agents ask the person by `questions`. */
  readonly open: (questions: Questions) => ChatSession
  /** Hears every change. */
  readonly tell: (change: Change) => void
}

/** A chat that runs in the server, whoever looks at it: what pages show, and what they may do. */
export class Conversation {
  readonly #tell: ConversationOptions['tell']
  readonly #transcript: Transcript
  readonly #questions: Questions
  readonly #session: ChatSession
  #stop: AbortController | null = null
  #decisions = 0
  #done: Promise<void> = Promise.resolve()

  /** A turn that a killed server left behind goes on at once. */
  constructor({ open, tell }: ConversationOptions) {
    this.#tell = tell
    this.#transcript = new Transcript(tell)
    this.#questions = new Questions(this.#transcript)
    this.#session = open(this.#questions)
    this.#transcript.sync(this.#session)
    if (this.#session.unfinished !== null) this.#resume()
  }

  /** Everything, for a page that has nothing yet. */
  get all(): Change {
    return { type: 'all', items: this.#transcript.items, busy: this.#stop !== null }
  }

  /** Says something; refused with `invalid-state` while a turn runs or waits. */
  say(text: string): void {
    if (this.#stop) throw new XError('invalid-state', 'an answer is being written: wait for its end or stop it')
    if (this.#session.pending.length > 0) throw new XError('invalid-state', 'a tool call waits: decide on it first')
    this.#run((signal) => this.#session.say(text, { signal }))
  }

  /** Stops the answer that is being written; nothing when there is none. */
  stop(): void {
    this.#stop?.abort()
  }

  /** Decides on a tool call that waits; a second decision is refused with `invalid-state`. */
  async decide(id: string, decision: ApprovalDecision): Promise<void> {
    await this.#session.decide(id, decision)
    this.#transcript.decided(id)
    this.#decisions++
    // A turn that runs may have passed what was decided on: it goes on once more when it has ended.
    if (!this.#stop) this.#resume()
  }

  /** Answers a question of an agent or a tool. */
  answer(id: string, text: string): void {
    this.#questions.answer(id, text)
  }

  /** Stops the answer that is being written, and lets other processes open the chat. */
  async close(): Promise<void> {
    this.stop()
    await this.idle()
    this.#session[Symbol.dispose]()
  }

  /** Resolves when no turn is running. */
  async idle(): Promise<void> {
    while (this.#stop) await this.#done
  }

  #resume(): void {
    this.#run((signal) => this.#session.resume({ signal }))
  }

  #run(begin: (signal: AbortSignal) => AsyncGenerator<XEvent, ChatResult, void>): void {
    const stop = new AbortController()
    const events = runStream(each(begin(stop.signal), (event) => event))
    this.#stop = stop
    this.#tell({ type: 'busy', busy: true })
    this.#done = this.#turn(events, stop.signal)
  }

  async #turn(events: EventStream<ChatResult>, signal: AbortSignal): Promise<void> {
    const decisions = this.#decisions
    let note: string | null = null
    try {
      for await (const event of events) {
        this.#transcript.sync(this.#session)
        this.#transcript.take(event)
      }
      const { terminationReason } = await events.result
      if (terminationReason === 'budget') note = 'The budget is used up.'
    } catch (error) {
      note = signal.aborted ? 'Stopped.' : `It failed: ${isXError(error) ? error.message : String(error)}`
    }
    this.#transcript.sync(this.#session)
    if (note) this.#transcript.interrupted(note)
    this.#stop = null
    if (this.#session.unfinished !== null && this.#decisions > decisions) this.#resume()
    else this.#tell({ type: 'busy', busy: false })
  }
}
