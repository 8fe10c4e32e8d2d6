import type { ChatMessage, JsonSchema, Reply } from '@x/interfaces'
import { type Steps, wait, XError } from '@x/kernel'
import { issuesText, validation } from '@x/kernel/schema'
import { messageText, TERMINATION_WORD } from '../data/message.ts'
import type { OutputOf, Parameters } from '../data/parameters.ts'

/** Text that tells an agent the schema of its answer: not every model has an option for the schema. */
const resultInstruction = (schema: JsonSchema): string =>
  `When you have the answer, give it as one JSON value and nothing else. It has to fit this JSON Schema:\n${JSON.stringify(schema)}`

/** Adds the schema of its answer to a question. */
export const withSchema = (question: Reply, schema: JsonSchema): Reply => withText(question, resultInstruction(schema))

function withText(message: Reply, text: string): Reply {
  if (typeof message === 'string') return `${message}\n\n${text}`
  const { content } = message
  if (Array.isArray(content)) return { ...message, content: [...content, { type: 'text', text }] }
  return { ...message, content: typeof content === 'string' ? `${content}\n\n${text}` : text }
}

/** Checks answers against the schema of a `run`, and counts the answers that were sent back. */
export class ResultJudge<P extends Parameters = Parameters> {
  readonly #check: ReturnType<typeof validation>
  readonly #repairs: number
  #sentBack = 0
  /** The answer that was checked last, with its value or its problem. */
  #judged: { readonly answer: ChatMessage; readonly reading: AnswerReading } | null = null

  constructor(parameters: P, schema: JsonSchema, repairs: number) {
    this.#check = validation(
      parameters,
      schema,
      (problem) => new XError('invalid-argument', `cannot check a \`result\`: its schema is broken: ${problem}`),
    )
    this.#repairs = repairs
  }

  /** Tells whether an answer fits the schema. */
  *fits(answer: ChatMessage): Steps<boolean> {
    if (this.#judged?.answer !== answer) this.#judged = { answer, reading: yield* readAnswer(answer, this.#check) }
    return 'value' in this.#judged.reading
  }

  /** The value of the answer that was checked last, if it fits. */
  get value(): OutputOf<P> {
    return (this.#judged!.reading as { value: unknown }).value as OutputOf<P>
  }

  /** Returns the text that sends the last answer back, and counts the attempt; null if no attempt is left. */
  takeRepair(): string | null {
    if (this.#sentBack === this.#repairs) return null
    this.#sentBack++
    return `Your answer does not fit: ${this.#problem}. Give the whole JSON value again, corrected, and nothing else.`
  }

  /** Makes the error for an agent without an answer that fits. */
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
    const reading = this.#judged?.reading
    return reading && 'problem' in reading ? reading.problem : 'there is no text'
  }
}

/** The value that an answer has by the schema, or the reason why it has none. */
type AnswerReading = { readonly value: unknown } | { readonly problem: string }

function* readAnswer(answer: ChatMessage, check: ReturnType<typeof validation>): Steps<AnswerReading> {
  const parsed = jsonOf(answer)
  if ('problem' in parsed) return parsed
  const valid = yield* wait(check(parsed.value), 'the check of a result')
  return 'issues' in valid ? { problem: issuesText(valid.issues) } : { value: valid.value }
}

/** Reads the JSON value of a message, with the word that ends a chat only where it stands in a text of the value. */
function jsonOf(message: ChatMessage): AnswerReading {
  const text = messageText(message).trim()
  const rest = text.replaceAll(TERMINATION_WORD, '').trim()
  if (rest === '') return { problem: 'there is no text' }
  return jsonIn(text) ?? (rest === text ? undefined : jsonIn(rest)) ?? { problem: 'it is not JSON' }
}

/** Reads the JSON value of a text: the whole text, a fenced block, or the outermost braces; undefined for none. */
function jsonIn(text: string): { readonly value: unknown } | undefined {
  for (const find of [wholeOf, fencedIn, betweenBraces]) {
    const candidate = find(text)
    if (candidate === undefined) continue
    try {
      return { value: JSON.parse(candidate) as unknown }
    } catch {
      // The next candidate may be the JSON.
    }
  }
  return undefined
}

const wholeOf = (text: string): string | undefined => text

const FENCE = '```'
const FENCE_LABEL = /(?:json)?[^\S\n]*\n/uy

/** Returns the content of the first fenced block without a label, or with that of JSON. */
function fencedIn(text: string): string | undefined {
  for (let at = text.indexOf(FENCE); at !== -1; at = text.indexOf(FENCE, at + FENCE.length)) {
    FENCE_LABEL.lastIndex = at + FENCE.length
    if (!FENCE_LABEL.test(text)) continue
    const begin = FENCE_LABEL.lastIndex
    const end = text.indexOf(FENCE, begin)
    return end === -1 ? undefined : text.slice(begin, end)
  }
  return undefined
}

/** Returns a text from its first opening brace to its last closing one. */
function betweenBraces(text: string): string | undefined {
  const begin = text.search(/[[{]/u)
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'))
  return begin === -1 || end < begin ? undefined : text.slice(begin, end + 1)
}
