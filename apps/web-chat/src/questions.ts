import type { Io } from '@x/interfaces'
import { XError } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import type { Transcript } from './transcript.ts'

/** Where agents and tools ask the person: a line on the page, answered by a later post. */
export class Questions implements Io {
  readonly #transcript: Transcript
  readonly #open = new Map<string, PromiseWithResolvers<string>>()
  #asked = 0

  constructor(transcript: Transcript) {
    this.#transcript = transcript
  }

  /** Events go by the stream of the chat. */
  send(): void {}

  /** Asks on every page that is open or will be; an abort withdraws the question. */
  async input(prompt: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<string> {
    const id = String(++this.#asked)
    const answer = Promise.withResolvers<string>()
    this.#open.set(id, answer)
    const index = this.#transcript.add({ kind: 'question', id, text: prompt })
    try {
      const text = await abortable(answer.promise, signal)
      this.#transcript.answered(index, text)
      return text
    } catch (error) {
      this.#transcript.answered(index, null)
      throw error
    } finally {
      this.#open.delete(id)
    }
  }

  /** Answers a question; one that is not open is refused with `invalid-state`. */
  answer(id: string, text: string): void {
    const open = this.#open.get(id)
    if (!open) throw new XError('invalid-state', `the question \`${id}\` is not open: it was answered or withdrawn`)
    open.resolve(text)
  }
}
