import type { PersonAnswer } from './person-io.ts'

/** A question that waits for the person. */
export interface OpenQuestion {
  readonly id: string
  /** Index of its line; null when it is the person's turn. */
  readonly line: number | null
  /** The fields of an answer beside its text. */
  readonly answerTo: Omit<PersonAnswer, 'text'>
}

/** The questions of a turn that wait for the person, by the spans that asked them. */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>()

  get isOpen(): boolean {
    return this.#open.size > 0
  }

  /** Identifier of the question when it is the person's turn; else null. */
  get turn(): string | null {
    return [...this.#open.values()].find(({ line }) => line === null)?.id ?? null
  }

  add(span: string, question: OpenQuestion): void {
    this.#open.set(span, question)
  }

  /** Returns an open question by its identifier. */
  find(id: string): OpenQuestion | undefined {
    return [...this.#open.values()].find((each) => each.id === id)
  }

  /** Removes a question that was answered. */
  remove(span: string): OpenQuestion | undefined {
    const question = this.#open.get(span)
    this.#open.delete(span)
    return question
  }

  /** Removes all questions at the end of a turn. */
  end(): readonly OpenQuestion[] {
    const open = [...this.#open.values()]
    this.#open.clear()
    return open
  }
}
