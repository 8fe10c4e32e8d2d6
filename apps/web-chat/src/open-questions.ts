import type { PersonAnswer } from './person-io.ts'

/** A question that waits for the person. */
export interface OpenQuestion {
  readonly id: string
  /** Its line; null when it is the person's turn. */
  readonly line: number | null
  /** What an answer to it says beside its text. */
  readonly asked: Omit<PersonAnswer, 'text'>
}

/** The questions of a turn that wait for the person, by the span in which they were asked. */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>()
  readonly #known = new Set<string>()

  /** Whether a span has asked before: after a takeover it asks again. */
  isKnown(span: string): boolean {
    return this.#known.has(span)
  }

  get isOpen(): boolean {
    return this.#open.size > 0
  }

  /** The question to answer when it is the person's turn; null when it is not. */
  get turn(): string | null {
    return [...this.#open.values()].find(({ line }) => line === null)?.id ?? null
  }

  add(span: string, question: OpenQuestion): void {
    this.#known.add(span)
    this.#open.set(span, question)
  }

  /** The open question of an identifier. */
  find(id: string): OpenQuestion | undefined {
    return [...this.#open.values()].find((each) => each.id === id)
  }

  /** Takes a question away that was answered. */
  answered(span: string): OpenQuestion | undefined {
    const question = this.#open.get(span)
    this.#open.delete(span)
    return question
  }

  /** Takes all questions away, because the turn has ended. */
  end(): readonly OpenQuestion[] {
    const open = [...this.#open.values()]
    this.#open.clear()
    this.#known.clear()
    return open
  }
}
