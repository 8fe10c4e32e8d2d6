import type { ChatMessage } from '@x/interfaces'
import { OPERATIONS, rational, readRational, type Rational } from './rational.ts'

/** A step in a text. */
export interface WrittenStep {
  readonly op: string
  readonly a: Rational | null
  readonly b: Rational | null
  readonly left: readonly Rational[]
}

/** The request of a prompt, read from the text alone. */
export interface Prompt {
  readonly role: 'thinker' | 'grader' | 'grader-of-several' | 'judge' | 'answerer' | 'merger' | 'chain'
  readonly system: string
  readonly user: string
  /** The best rating. */
  readonly scale: number
  /** True if a thinker has to rate its options too. */
  readonly rates: boolean
  readonly numbers: readonly number[]
  readonly steps: readonly WrittenStep[]
  /** The numbers after these steps. */
  readonly left: readonly Rational[]
  /** The paths of several possibilities, or the only path. */
  readonly paths: readonly (readonly WrittenStep[])[]
  /** The answers to merge. */
  readonly answers: readonly string[]
  /** The steps of several options to grade. */
  readonly options: readonly WrittenStep[]
  /** Earlier attempts: their steps and ratings. */
  readonly tries: readonly { readonly steps: readonly WrittenStep[]; readonly rating: number | null }[]
}

const STEP_LINE =
  /^\s*(?:[-*•]\s+)?(?:(?:Step|Option) \d+:\s*)?(-?[\d/]+) ([-+*/]) (-?[\d/]+) = (-?[\d/]+) \(left: ([^)]*)\)/gm
const LESSONS_BLOCK = /Earlier tries and their ratings:\n([\s\S]*?)(?=\n\n---\n\n|$)/

/** Reads a prompt. */
export function readPrompt(messages: readonly ChatMessage[]): Prompt {
  const system = textOf(messages.filter(({ role }) => role === 'system'))
  const whole = textOf(messages.filter(({ role }) => role !== 'system'))
  const lessons = LESSONS_BLOCK.exec(whole)?.[1] ?? ''
  const user = whole.replace(LESSONS_BLOCK, '')
  const [body = '', list = ''] = user.split(/^Options:$/m)
  const numbers = (/numbers\s+((?:\d+[\s,]+(?:and\s+)?)+)/i.exec(user)?.[1]?.match(/\d+/g) ?? []).map(Number)
  const possibilities = body.split(/^--- Possibility \d+ ---$/m).slice(1)
  const steps = stepsIn(possibilities.length > 0 ? '' : body)
  return {
    role: roleOf(system, user, steps.length > 0 || possibilities.length > 0),
    system,
    user,
    scale: Number(/1 to (\d+)/.exec(system)?.[1] ?? 10),
    rates: /Rating: <1 to/.test(system),
    numbers,
    steps,
    left: steps.at(-1)?.left ?? numbers.map((number) => rational(number)),
    paths: possibilities.length > 0 ? possibilities.map(stepsIn) : [steps],
    answers: body
      .split(/^--- Answer \d+ ---$/m)
      .slice(1)
      .map((answer) => answer.trim()),
    options: stepsIn(list),
    tries: lessons
      .split(/^### Try \d+$/m)
      .slice(1)
      .map((text) => ({
        steps: stepsIn(text),
        rating: Number(/Rating:\D*([\d.]+)/.exec(text)?.[1] ?? Number.NaN) || null,
      })),
  }
}

function roleOf(system: string, user: string, hasSteps: boolean): Prompt['role'] {
  if (/\bgrader\b|\brate\b/i.test(system)) {
    if (/rate the answer/i.test(system)) return 'judge'
    return /each of the options/i.test(system) ? 'grader-of-several' : 'grader'
  }
  if (/\bnext step/i.test(system) || /possible next steps/i.test(user)) return 'thinker'
  if (/^--- Answer \d+ ---$/m.test(user)) return 'merger'
  return hasSteps ? 'answerer' : 'chain'
}

const textOf = (messages: readonly ChatMessage[]): string =>
  messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n')

/** Returns the steps in a text, in order. */
export function stepsIn(text: string): WrittenStep[] {
  return [...text.matchAll(STEP_LINE)].map(([, a, op, b, , left]) => ({
    op: op!,
    a: readRational(a!),
    b: readRational(b!),
    left: left!
      .trim()
      .split(/\s+/)
      .map((number) => readRational(number) ?? rational(0)),
  }))
}

/** Computes the number and the expression of legal steps; null if a step uses a missing number. */
export function compose(
  numbers: readonly number[],
  steps: readonly WrittenStep[],
): { value: Rational; expression: string } | null {
  const pool = numbers.map((number) => ({ value: rational(number), expression: String(number) }))
  const take = (wanted: Rational | null): (typeof pool)[number] | null => {
    const at = pool.findIndex(({ value }) => wanted && value[0] === wanted[0] && value[1] === wanted[1])
    return at < 0 ? null : pool.splice(at, 1)[0]!
  }
  for (const { op, a, b } of steps) {
    const first = take(a)
    const second = first && take(b)
    const value = second && OPERATIONS[op]!(first.value, second.value)
    if (!value) return null
    pool.push({ value, expression: `(${first.expression} ${op} ${second.expression})` })
  }
  return pool.length === 1 ? pool[0]! : null
}
