import { SPEAKER_REASONS } from '@x/example-group'
import type { ApprovalDecision, ChatResult, EventStream, TerminationReason } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import type { ChatSession } from '@x/session'
import type { Change, ChatKind, ChatState, ShownUsage } from './change.ts'
import type { Item } from './item.ts'
import { Questions } from './questions.ts'
import { Speakers } from './speakers.ts'
import { Transcript } from './transcript.ts'

/** Options of a conversation. */
export interface ConversationOptions {
  /** Names the chat on its pages. */
  readonly id: string
  readonly kind: ChatKind
  /** Opens the chat; its agents ask the person by `questions`. */
  readonly open: (questions: Questions) => ChatSession
  /** Hears every change. */
  readonly tell: (change: Change) => void
}

/** Words on why a turn has ended, where a person would ask. */
const ENDED: Readonly<Partial<Record<TerminationReason, string>>> = {
  budget: 'The budget is used up.',
  'max-rounds': 'The group has talked enough for now: say something to go on.',
  'no-next-speaker': 'Nobody may speak next.',
  'human-exit': 'You have ended the talk.',
}

/** A chat that runs in the server, whoever looks at it: what pages show, and what they may do. */
export class Conversation {
  readonly id: string
  readonly kind: ChatKind
  readonly #tell: ConversationOptions['tell']
  readonly #transcript: Transcript
  readonly #questions: Questions
  readonly #session: ChatSession
  readonly #speakers: Speakers
  #stop: AbortController | null = null
  #next: ChatState['next'] = null
  #decisions = 0
  #done: Promise<void> = Promise.resolve()
  /** The state as pages were told it. */
  #told = ''

  /** A turn that a killed server left behind goes on at once. */
  constructor({ id, kind, open, tell }: ConversationOptions) {
    this.id = id
    this.kind = kind
    this.#tell = tell
    this.#speakers = new Speakers(() => this.#session.agents)
    this.#transcript = new Transcript(this.#speakers, tell)
    this.#questions = new Questions({
      transcript: () => this.#transcript,
      person: 'user',
      onTurn: () => this.#changed(),
    })
    this.#session = open(this.#questions)
    this.#transcript.sync(this.#session)
    if (this.#session.unfinished !== null) this.#resume()
  }

  /** Every line, for a page that has nothing yet. */
  get items(): readonly Item[] {
    return this.#transcript.items
  }

  /** What a page shows beside the lines. */
  get state(): ChatState {
    return {
      id: this.id,
      kind: this.kind,
      title: this.#title,
      members: this.#speakers.names,
      busy: this.#stop !== null,
      next: this.#next,
      turn: this.#questions.turn,
      waiting: this.#session.pending.length > 0,
      usage: this.#usage,
    }
  }

  /** Whether the person is asked for something. */
  get asks(): boolean {
    return this.#questions.isOpen || this.#session.pending.length > 0
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
    this.#changed()
    // A turn that runs may have passed what was decided on: it goes on once more when it has ended.
    if (!this.#stop) this.#resume()
  }

  /** Answers a question of an agent or a tool, or says something as the person's turn in a group; nothing is silence. */
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

  #run(begin: (signal: AbortSignal) => EventStream<ChatResult>): void {
    const stop = new AbortController()
    const events = begin(stop.signal)
    this.#stop = stop
    this.#next = this.#firstSpeaker
    this.#changed()
    this.#done = this.#turn(events, stop.signal)
  }

  async #turn(events: EventStream<ChatResult>, signal: AbortSignal): Promise<void> {
    const decisions = this.#decisions
    let note: string | undefined
    try {
      for await (const event of events) {
        if (this.#transcript.sync(this.#session)) this.#next = this.#firstSpeaker
        this.#transcript.take(event)
        if (event.type === 'groupChatRunChat') {
          this.#next = { name: event.speaker, reason: SPEAKER_REASONS[event.reason] }
        }
        if (event.type !== 'modelDelta') this.#changed()
      }
      note = ENDED[(await events.result).terminationReason]
    } catch (error) {
      note = signal.aborted ? 'Stopped.' : `It failed: ${isXError(error) ? error.message : String(error)}`
    }
    this.#transcript.sync(this.#session)
    if (note) this.#transcript.interrupted(note)
    this.#stop = null
    this.#next = null
    if (this.#session.unfinished !== null && this.#decisions > decisions) this.#resume()
    else this.#changed()
  }

  /** Tells the state, if it has changed. */
  #changed(): void {
    const { state } = this
    const text = JSON.stringify(state)
    if (text === this.#told) return
    this.#told = text
    this.#tell({ type: 'state', state })
  }

  /** The only one who can be next in a chat with an assistant. */
  get #firstSpeaker(): ChatState['next'] {
    return this.kind === 'group' ? null : { name: this.#speakers.names[0]!, reason: null }
  }

  get #title(): string | null {
    const { messages, unfinished } = this.#session
    const content = messages[0]?.content ?? unfinished
    return typeof content === 'string' ? content.slice(0, 120) : null
  }

  get #usage(): ShownUsage {
    const { totalCost, models, unpriced = [] } = this.#session.usage
    const used = Object.values(models)
    return {
      models: Object.keys(models),
      promptTokens: used.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      completionTokens: used.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
      cost: totalCost,
      unpriced: unpriced.length > 0,
    }
  }
}
