/** Output tokens that an answer is taken to have when nothing of its model is known. */
export const USUAL_ANSWER = 1024

/** Calls of a model in flight at most before its first answer. */
const MOST_UNKNOWN = 4

/** Lengths of the answers of a model, from which the next one is estimated; `C` are its calls. */
export class AnswerLengths<C> {
  #longest: number | undefined
  /** Calls in flight that began before the first answer. */
  readonly #unknown = new Set<C>()

  /** Notes that a call begins. */
  begin(call: C): void {
    if (!this.known) this.#unknown.add(call)
  }

  /**
   * Notes that a call has ended, with a whole answer of so many output tokens or without one. Gives the calls in flight
   * whose estimates the first answer corrects.
   */
  end(call: C, outputTokens: number | undefined): readonly C[] {
    this.#unknown.delete(call)
    if (outputTokens === undefined) return []
    const corrected = this.known ? [] : [...this.#unknown]
    this.#unknown.clear()
    this.#longest = Math.max(this.#longest ?? 0, outputTokens)
    return corrected
  }

  /** Whether an answer has come. */
  get known(): boolean {
    return this.#longest !== undefined
  }

  /** Whether so many calls are in flight that the next one has to wait for the first answer. */
  get full(): boolean {
    return this.#unknown.size >= MOST_UNKNOWN
  }

  /** Output tokens that the next answer is taken to have: as many as the longest so far. */
  estimate(maxOutput: number | undefined): number {
    return Math.min(this.#longest ?? USUAL_ANSWER, maxOutput ?? Infinity)
  }
}
