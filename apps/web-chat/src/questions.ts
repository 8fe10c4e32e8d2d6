import type { Io } from '@x/interfaces'
import { XError } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import type { Transcript } from './transcript.ts'

/** Options of the questions of a chat. */
export interface QuestionsOptions {
  /** Shows questions of agents and tools. */
  readonly transcript: () => Transcript
  /** Name of the agent that stands for the person: its questions are turns of the person in a group. */
  readonly person: string
  /** Hears when a turn of the person begins or ends. */
  readonly onTurn: () => void
}

/** Where agents and tools ask the person: by a line on the page, or as a turn in a group; a later post answers. */
export class Questions implements Io {
  readonly #options: QuestionsOptions
  readonly #open = new Map<string, PromiseWithResolvers<string>>()
  #asked = 0
  #turn: string | null = null

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** The question to answer when it is the person's turn; null when it is not. */
  get turn(): string | null {
    return this.#turn
  }

  /** Whether anything is asked. */
  get isOpen(): boolean {
    return this.#open.size > 0
  }

  /** Events go by the stream of the chat. */
  send(): void {}

  /** Asks on every page that is open or will be; an abort withdraws the question. */
  async input(
    prompt: string,
    { signal, agent }: { signal?: AbortSignal | undefined; agent?: string | undefined } = {},
  ): Promise<string> {
    const id = String(++this.#asked)
    const answer = Promise.withResolvers<string>()
    this.#open.set(id, answer)
    try {
      if (agent === this.#options.person) return await this.#askTurn(id, answer.promise, signal)
      return await this.#askLine(id, prompt, { answer: answer.promise, signal })
    } finally {
      this.#open.delete(id)
      this.#options.onTurn()
    }
  }

  /** Answers a question; one that is not open is refused with `invalid-state`. */
  answer(id: string, text: string): void {
    const open = this.#open.get(id)
    if (!open) throw new XError('invalid-state', `the question \`${id}\` is not open: it was answered or withdrawn`)
    open.resolve(text)
  }

  async #askTurn(id: string, answer: Promise<string>, signal: AbortSignal | undefined): Promise<string> {
    this.#turn = id
    this.#options.onTurn()
    try {
      return await abortable(answer, signal)
    } finally {
      this.#turn = null
    }
  }

  async #askLine(
    id: string,
    text: string,
    { answer, signal }: { answer: Promise<string>; signal: AbortSignal | undefined },
  ): Promise<string> {
    const transcript = this.#options.transcript()
    const index = transcript.add({ kind: 'question', id, text })
    this.#options.onTurn()
    try {
      const typed = await abortable(answer, signal)
      transcript.answered(index, typed)
      return typed
    } catch (error) {
      transcript.answered(index, null)
      throw error
    }
  }
}
