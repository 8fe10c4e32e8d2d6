/** Wakes the one who waits; a ring while nobody waits is heard by the next. */
export class Alarm {
  #hasRung = false
  #wake: (() => void) | undefined

  ring(): void {
    this.#hasRung = true
    this.#wake?.()
  }

  /** Waits for a ring, for so many milliseconds at most. */
  async wait(ms: number): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#wake = undefined
    this.#hasRung = false
  }
}
