/** Handles Ctrl-C: the first one stops the answer that is being written, one more ends the program. */
export class Interrupts {
  readonly #leave: () => void
  #answer: AbortController | null = null

  /** `leave` ends the program. */
  constructor(leave: () => void) {
    this.#leave = leave
  }

  /** Begins an answer, and gives the signal that stops it. */
  begin(): AbortSignal {
    this.#answer = new AbortController()
    return this.#answer.signal
  }

  /** The answer has ended. */
  end(): void {
    this.#answer = null
  }

  /** Whether an answer was stopped and has not ended yet. */
  get stopping(): boolean {
    return this.#answer?.signal.aborted === true
  }

  /** Stops the answer that is being written, if there is one. */
  stop(): void {
    this.#answer?.abort()
  }

  /** Ctrl-C was pressed. */
  interrupt(): void {
    if (this.#answer && !this.#answer.signal.aborted) this.#answer.abort()
    else this.#leave()
  }
}
