import type { Io } from '@x/interfaces'

/** The calls that are under way: whose person a question of the server is for. */
export class OpenCalls {
  readonly #open = new Set<{ readonly io: Pick<Io, 'input'> | undefined }>()

  #last: Promise<unknown> = Promise.resolve()

  /** Asks one question after the other: a server may send several at once. */
  async inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const before = this.#last
    const mine = (async () => {
      await before.catch(() => {})
      return await ask()
    })()
    this.#last = mine
    return await mine
  }

  /** Begins a call; gives what ends it. */
  begin(io: Pick<Io, 'input'> | undefined): () => void {
    const call = { io }
    this.#open.add(call)
    return () => void this.#open.delete(call)
  }

  /**
   * The person that a question is for; undefined where nobody is called for, or where calls of several persons are under
   * way: the older protocol does not say which call a question belongs to.
   */
  get io(): Pick<Io, 'input'> | undefined {
    const persons = new Set([...this.#open].map(({ io }) => io))
    return persons.size === 1 ? [...persons][0] : undefined
  }
}
