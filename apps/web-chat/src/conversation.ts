import { setTimeout } from 'node:timers/promises'
import type { ApprovalDecision, HostedChat, LoggedEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import type { Change, ChatKind, ChatState } from './change.ts'
import { turnId, kindOf } from './chat-ids.ts'
import type { ChatHost, TurnInput } from './chat-host.ts'
import type { Lines } from './lines.ts'
import { Speakers } from './speakers.ts'
import { Transcript } from './transcript.ts'

/** Milliseconds after which a log that could not be read is read again. */
const AGAIN = 500

/** Options of a conversation. */
export interface ConversationOptions {
  readonly id: string
  readonly host: ChatHost
  /** Hears every change. */
  readonly tell: (change: Change) => void
}

/**
 * A chat as one server shows it: it reads what the turns log, wherever they run, and hands in what the person does. It
 * keeps nothing that another server, or this one later, could not read again.
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
  readonly #followed: Promise<void>
  /** The last turn, as it stood when it was looked at; null before the first. */
  #turn: HostedChat | null = null
  /** How many turns were read to their end. */
  #read = 0
  /** How far the log of the turn was read. */
  #cursor: string | null = null
  /** Ends the waiting for the next turn. */
  #wake = (): void => {}
  /** The state as pages were told it. */
  #told = ''

  constructor({ id, host, tell }: ConversationOptions) {
    this.id = id
    this.kind = kindOf(id) ?? 'assistant'
    this.#host = host
    this.#tell = tell
    const nobody = { send() {}, input: () => '' }
    const speakers = new Speakers(host.agents(this.kind, nobody))
    this.#members = speakers.names
    this.#transcript = new Transcript(this.kind, speakers, tell)
    this.#followed = this.#follow()
  }

  /** Resolves when what had been logged was read. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** Every line, and when each has changed. */
  get lines(): Lines {
    return this.#transcript.lines
  }

  /** What a page shows beside the lines. */
  get state(): ChatState {
    const { title, next, turn, usage, undecided, isAsking } = this.#transcript
    return {
      id: this.id,
      kind: this.kind,
      title,
      members: this.#members,
      busy: this.#busy,
      // A question of a tool stands in the chat: nobody writes.
      next: isAsking && turn === null ? null : next,
      turn,
      waiting: this.#isOpen && undecided.size > 0,
      usage,
    }
  }

  /** Whether a turn has not come to its end here. */
  get #isOpen(): boolean {
    return this.#turn !== null
  }

  get #busy(): boolean {
    return this.#turn !== null && (this.#turn.state !== 'suspended' || this.#transcript.isAsking)
  }

  /** Says something; refused with `invalid-state` while a turn has not ended. */
  async say(text: string): Promise<void> {
    const last = await this.#lastTurn()
    if (last && !last.outcome) {
      const waits = last.state === 'suspended' && !this.#transcript.isAsking
      throw new XError(
        'invalid-state',
        waits ? 'a tool call waits: decide on it first' : 'an answer is being written: wait for its end or stop it',
      )
    }
    const turn = last ? (last.input as TurnInput).turn + 1 : 0
    const { host, programs } = this.#host
    try {
      await host.submit(programs[this.kind], { chat: this.id, turn, text }, { id: turnId(this.id, turn) })
    } catch (error) {
      if (!isXError(error, 'invalid-state')) throw error
      throw new XError('invalid-state', 'another page has just said something: wait for the answer', { cause: error })
    }
    this.changed()
  }

  /** Stops the answer that is being written; nothing when there is none. */
  async stop(): Promise<void> {
    const last = await this.#lastTurn()
    if (last && !last.outcome) await this.#host.host.cancel(last.id, 'stopped')
    this.changed()
  }

  /** Decides on a tool call that waits; a second decision is refused with `invalid-state`, wherever it is made. */
  async decide(id: string, decision: ApprovalDecision): Promise<void> {
    const turn = await this.#openTurn('nothing waits for a decision')
    await this.#host.host.decide(turn.id, id, decision, { by: 'the person' })
    this.#transcript.decided([id])
    this.changed()
  }

  /** Answers a question of a tool, or says something as the person's turn in a group; nothing is silence. */
  async answer(id: string, text: string): Promise<void> {
    const closed = `the question \`${id}\` is not open: it was answered or withdrawn`
    const turn = await this.#openTurn(closed)
    const question = this.#transcript.question(id)
    if (!question) throw new XError('invalid-state', closed)
    await this.#host.host.send(turn.id, { ...question.asked, text })
    this.changed()
  }

  /** Looks at the chat again: something may have changed. */
  changed(): void {
    this.#wake()
    if (this.#isOpen) void this.#look()
  }

  /** Ends the reading; the turn goes on. */
  async close(): Promise<void> {
    this.#closed.abort()
    this.#ready.resolve()
    this.#wake()
    await this.#followed
  }

  async #openTurn(problem: string): Promise<HostedChat> {
    const last = await this.#lastTurn()
    if (!last || last.outcome) throw new XError('invalid-state', problem)
    return last
  }

  async #lastTurn(): Promise<HostedChat | null> {
    let last: HostedChat | null = null
    for (let turn = Math.max(this.#read - 1, 0); ; turn++) {
      const found = await this.#host.host.get(turnId(this.id, turn))
      if (!found) return last
      last = found
    }
  }

  /** Reads the turns, one after the other. */
  async #follow(): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted) {
      try {
        const changed = new Promise<void>((resolve) => (this.#wake = resolve))
        const turn = await this.#host.host.get(turnId(this.id, this.#read))
        if (turn) await this.#readTurn(turn)
        else {
          this.#ready.resolve()
          await changed
        }
      } catch (error) {
        if (signal.aborted) return
        this.#ready.resolve()
        report(error)
        await setTimeout(AGAIN, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }

  async #readTurn(turn: HostedChat): Promise<void> {
    const { host, at } = this.#host
    if (this.#turn === null) this.#transcript.begin((turn.input as TurnInput).text)
    this.#turn = turn
    this.#showState()
    await this.#look()
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
    this.#showState()
  }

  #take({ cursor, event }: LoggedEvent): void {
    this.#cursor = cursor
    this.#transcript.take(event)
    if (event.type !== 'modelDelta') this.#showState()
  }

  /** Looks how the turn stands, and what was decided on in another server. */
  async #look(): Promise<void> {
    const { host } = this.#host
    const { id } = this.#turn!
    try {
      const turn = await host.get(id)
      if (this.#turn?.id !== id) return
      this.#turn = turn
      if (this.#transcript.undecided.size > 0) {
        this.#transcript.decided((await host.decisions(id)).map(({ entry }) => entry.place))
      }
      this.#showState()
    } catch (error) {
      report(error)
    }
  }

  /** Tells the state, if it has changed. */
  #showState(): void {
    const { state } = this
    const text = JSON.stringify(state)
    if (text === this.#told) return
    this.#told = text
    this.#tell({ type: 'state', state })
  }
}

/** A database that does not answer ends nothing: it is asked again. */
function report(error: unknown): void {
  process.emitWarning(`a chat could not be read: ${isXError(error) ? error.message : String(error)}`)
}
