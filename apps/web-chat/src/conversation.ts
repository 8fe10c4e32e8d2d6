import { setTimeout } from 'node:timers/promises'
import type { ApprovalDecision, HostedChat, LoggedEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { isImage, MAX_CHAT_FILE_BYTES, sizeText } from './attachment.ts'
import type { Change, ChatKind, ChatState, ShownBudgets } from './change.ts'
import { turnId, kindOf } from './chat-ids.ts'
import { sourceOf, titleOf, type ChatHost, type TurnInput } from './chat-host.ts'
import { sizeOf, withoutData, type KeptFile } from './kept-files.ts'
import type { Lines } from './lines.ts'
import { Speakers } from './speakers.ts'
import { Transcript } from './transcript.ts'

/** Delay before a log that could not be read is read again. */
const RETRY_DELAY_MS = 500

/** Options of a {@link Conversation}. */
export interface ConversationOptions {
  readonly id: string
  readonly host: ChatHost
  /** Called with every change. */
  readonly tell: (change: Change) => void
}

/**
 * A chat in one server: reads the logs of the turns, wherever they run, and submits the actions of the person. All of its
 * state can be read again, by this server or another.
 */
export class Conversation {
  readonly id: string
  readonly kind: ChatKind
  readonly #host: ChatHost
  readonly #tell: ConversationOptions['tell']
  readonly #transcript: Transcript
  readonly #members: readonly string[]
  readonly #closed = new AbortController()
  readonly #ready = Promise.withResolvers<void>()
  readonly #reading: Promise<void>
  /** The last turn, as last read; null when all turns have ended. */
  #turn: HostedChat | null = null
  /** Number of turns that were read to their end. */
  #read = 0
  /** Cursor in the log of the turn. */
  #cursor: string | null = null
  /** Wakes the reader, which waits for the next turn. */
  #wake = (): void => {}
  /** The rest of the budget of the day when a turn last ended, in US dollars. */
  #dayLeft: number | null = null
  /** True until the budget of the day was read after the last turn. */
  #isDayOld = true
  /** Bytes of all files of the person. */
  #fileBytes = 0
  /** The last state that pages were sent, as JSON. */
  #sentState = ''

  constructor({ id, host, tell }: ConversationOptions) {
    this.id = id
    this.kind = kindOf(id) ?? 'assistant'
    this.#host = host
    this.#tell = tell
    const silentIo = { send() {}, input: () => '' }
    const speakers = new Speakers(host.agents(this.kind, silentIo))
    this.#members = speakers.names
    this.#transcript = new Transcript(this.kind, speakers, tell)
    this.#reading = this.#follow()
  }

  /** Resolves when the existing log was read. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** All lines, and the steps at which they changed. */
  get lines(): Lines {
    return this.#transcript.lines
  }

  /** The state that a page shows beside the lines. */
  get state(): ChatState {
    const { title, next, turn, usage, undecided, isAsking } = this.#transcript
    return {
      id: this.id,
      kind: this.kind,
      title,
      members: this.#members,
      busy: this.#busy,
      // While a tool asks a question, nobody writes.
      next: isAsking && turn === null ? null : next,
      turn,
      waiting: this.#isOpen && undecided.size > 0,
      usage,
      left: this.#left(usage.cost),
    }
  }

  #left(cost: number): ShownBudgets {
    const { chatBudget } = this.#host.limits
    return { chat: chatBudget === undefined ? null : Math.max(0, chatBudget - cost), day: this.#dayLeft }
  }

  /** True if a turn has not ended, as far as it was read here. */
  get #isOpen(): boolean {
    return this.#turn !== null
  }

  get #busy(): boolean {
    return this.#turn !== null && (this.#turn.state !== 'suspended' || this.#transcript.isAsking)
  }

  /**
   * Sends a message of the person, with files; fails with `invalid-state` while a turn has not ended, or if the chat has no room
   * for the files.
   */
  async say(text: string, files: readonly KeptFile[] = []): Promise<void> {
    const last = await this.#lastTurn()
    if (last && !last.outcome) {
      const waits = last.state === 'suspended' && !this.#transcript.isAsking
      throw new XError(
        'invalid-state',
        waits ? 'a tool call waits: decide on it first' : 'an answer is being written: wait for its end or stop it',
      )
    }
    if (files.length > 0 && this.#fileBytes + sizeOf(files) > MAX_CHAT_FILE_BYTES) {
      throw new XError(
        'invalid-state',
        `the files of a chat have at most ${sizeText(MAX_CHAT_FILE_BYTES)} together: begin a new chat for more`,
      )
    }
    const turn = last ? (last.input as TurnInput).turn + 1 : 0
    const { host, programs, files: kept } = this.#host
    const input = { chat: this.id, turn, text, ...(files.length > 0 && { files: files.map(withoutData) }) }
    await kept.keep(this.id, files)
    try {
      await host.submit(programs[this.kind], input, { id: turnId(this.id, turn) })
    } catch (error) {
      // With another error, the turn may have begun.
      if (!isXError(error, 'invalid-state')) throw error
      await kept.delete(this.id, files)
      throw new XError('invalid-state', 'another page has just said something: wait for the answer', { cause: error })
    }
    this.changed()
  }

  /** Stops the answer that is being written, if there is one. */
  async stop(): Promise<void> {
    const last = await this.#lastTurn()
    if (last && !last.outcome) await this.#host.host.cancel(last.id, 'stopped')
    this.changed()
  }

  /** Decides on a pending tool call; a second decision fails with `invalid-state`, also on another server. */
  async decide(id: string, decision: ApprovalDecision): Promise<void> {
    const turn = await this.#openTurn('nothing waits for a decision')
    await this.#host.host.decide(turn.id, id, decision, { by: 'the person' })
    this.#transcript.decided([id])
    this.changed()
  }

  /** Answers a question of a tool, or speaks when it is the person's turn in a group; an empty text is silence. */
  async answer(id: string, text: string): Promise<void> {
    const closed = `the question \`${id}\` is not open: it was answered or withdrawn`
    const turn = await this.#openTurn(closed)
    const question = this.#transcript.question(id)
    if (!question) throw new XError('invalid-state', closed)
    await this.#host.host.send(turn.id, { ...question.answerTo, text })
    this.changed()
  }

  /** Reads the chat again, because it may have changed. */
  changed(): void {
    this.#wake()
    if (this.#isOpen) void this.#readState()
  }

  /** Stops reading; the turn continues. */
  async close(): Promise<void> {
    this.#closed.abort()
    this.#ready.resolve()
    this.#wake()
    await this.#reading
  }

  async #openTurn(problem: string): Promise<HostedChat> {
    const last = await this.#lastTurn()
    if (!last || last.outcome) throw new XError('invalid-state', problem)
    return last
  }

  async #lastTurn(): Promise<HostedChat | null> {
    let last: HostedChat | null = null
    for (let turn = Math.max(this.#read - 1, 0); ; turn++) {
      const next = await this.#host.host.get(turnId(this.id, turn))
      if (!next) return last
      last = next
    }
  }

  /** Reads the turns, one after the other. */
  async #follow(): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted) {
      try {
        const changed = new Promise<void>((resolve) => (this.#wake = resolve))
        const turn = await this.#host.host.get(turnId(this.id, this.#read))
        if (turn) {
          if (this.#turn === null) this.#begin(turn.input as TurnInput)
          await this.#readTurn(await sourceOf(this.#host.host, turn))
        } else {
          if (this.#isDayOld) await this.#readDay()
          this.#ready.resolve()
          await changed
        }
      } catch (error) {
        if (signal.aborted) return
        this.#ready.resolve()
        report(error)
        await setTimeout(RETRY_DELAY_MS, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }

  async #readTurn(turn: HostedChat): Promise<void> {
    const { host, at } = this.#host
    this.#turn = turn
    this.#sendState()
    await this.#readState()
    for (;;) {
      const logged = await at.events.read(turn.id, this.#cursor, 100)
      if (logged.length === 0) break
      for (const each of logged) this.#take(each)
    }
    if (!turn.outcome) this.#ready.resolve()
    const { signal } = this.#closed
    for await (const logged of host.events(turn.id, { after: this.#cursor, signal })) this.#take(logged)
    const ended = await host.get(turn.id)
    this.#turn = null
    this.#cursor = null
    this.#read++
    this.#transcript.end(ended!.outcome!)
    this.#isDayOld = true
    this.#sendState()
  }

  #begin(input: TurnInput): void {
    const { text, files = [], origin } = input
    this.#fileBytes += sizeOf(files)
    const shown = files.map(({ id, name, size, type }) => {
      return { name, url: `/chats/${this.id}/files/${id}`, size, isImage: isImage({ type }) }
    })
    this.#transcript.begin(text, { files: shown, title: titleOf(input), isCopy: origin !== undefined })
  }

  async #readDay(): Promise<void> {
    this.#dayLeft = (await this.#host.day?.state())?.left.cost ?? null
    this.#isDayOld = false
    this.#sendState()
  }

  #take({ cursor, event }: LoggedEvent): void {
    this.#cursor = cursor
    this.#transcript.take(event)
    if (!event.type.endsWith('Delta')) this.#sendState()
  }

  /** Reads the state of the turn, and decisions that were made on another server. */
  async #readState(): Promise<void> {
    const { host } = this.#host
    const { id } = this.#turn!
    try {
      const turn = await host.get(id)
      if (this.#turn?.id !== id) return
      this.#turn = turn
      if (this.#transcript.undecided.size > 0) {
        this.#transcript.decided((await host.decisions(id)).map(({ entry }) => entry.place))
      }
      this.#sendState()
    } catch (error) {
      report(error)
    }
  }

  /** Sends the state to pages, if it has changed. */
  #sendState(): void {
    const { state } = this
    const text = JSON.stringify(state)
    if (text === this.#sentState) return
    this.#sentState = text
    this.#tell({ type: 'state', state })
  }
}

/** Reports an error of the database, which is asked again. */
function report(error: unknown): void {
  process.emitWarning(`a chat could not be read: ${isXError(error) ? error.message : String(error)}`)
}
