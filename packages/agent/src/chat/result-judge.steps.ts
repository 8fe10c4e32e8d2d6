import type { ChatMessage, JsonSchema } from '@x/interfaces'
import { wait, XError, type Steps } from '@x/kernel'
import { contentText } from '../memory/text.ts'
import type { OutputOf, Parameters } from '../schema/parameters.ts'
import { issuesText, validation } from '../tool/tool.ts'

/** Judges answers by the shape that a `run` was asked for, and counts how often one was sent back. */
export class ResultJudge<P extends Parameters = Parameters> {
  readonly #check: ReturnType<typeof validation>
  readonly #repairs: number
  #sentBack = 0
  /** The newest answer that was judged, and what came of it. */
  #judged: { readonly answer: ChatMessage; readonly read: Read } | null = null

  constructor(parameters: P, schema: JsonSchema, repairs: number) {
    this.#check = validation(parameters, schema)
    this.#repairs = repairs
  }

  /** Tells whether an answer fits. */
  *fits(answer: ChatMessage): Steps<boolean> {
    if (this.#judged?.answer !== answer) this.#judged = { answer, read: yield* read(answer, this.#check) }
    return 'value' in this.#judged.read
  }

  /** The value of the newest answer, which fits. */
  get value(): OutputOf<P> {
    return (this.#judged!.read as { value: unknown }).value as OutputOf<P>
  }

  /** Gives what the newest answer is sent back with, or null when there are no further attempts. */
  takeRepair(): string | null {
    if (this.#sentBack === this.#repairs) return null
    this.#sentBack++
    return `Your answer does not fit: ${this.#problem}. Give the whole JSON value again, corrected, and nothing else.`
  }

  /** The error for an agent whose answers do not fit. */
  failure(agent: string): XError {
    const attempts = this.#sentBack + 1
    const problem = this.#problem
    return new XError(
      'invalid-result',
      `\`${agent}\` gave no result that fits after ${attempts} attempts: ${problem}; allow more \`resultRepairs\`, or a simpler schema`,
      { details: { attempts, problem } },
    )
  }

  get #problem(): string {
    const its = this.#judged?.read
    return its && 'problem' in its ? its.problem : 'there is no text'
  }
}

type Read = { readonly value: unknown } | { readonly problem: string }

function* read(answer: ChatMessage, check: ReturnType<typeof validation>): Steps<Read> {
  const parsed = jsonOf(answer)
  if ('problem' in parsed) return parsed
  const valid = yield* wait(check(parsed.value), 'the check of a result')
  return 'issues' in valid ? { problem: issuesText(valid.issues) } : { value: valid.value }
}

/** The JSON value of a message: bare, in a fence, or the outermost braces of its text. */
function jsonOf(message: ChatMessage): Read {
  const text = contentText(message).replaceAll('TERMINATE', '').trim()
  if (text === '') return { problem: 'there is no text' }
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/u.exec(text)?.[1]
  const braces = /[[{][\s\S]*[\]}]/u.exec(text)?.[0]
  for (const candidate of [text, fenced, braces]) {
    if (candidate === undefined) continue
    try {
      return { value: JSON.parse(candidate) as unknown }
    } catch {
      // The next candidate may be the JSON.
    }
  }
  return { problem: 'it is not JSON' }
}
