import type { SearchUsage } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { Grading, PartUsage, Proposal, VerifierResult, WrittenAnswer } from './parts.ts'

/** Refuses what a proposer gave when it is not a proposal. */
export function checkProposal(made: Proposal): Proposal {
  const shape = '{ text, reflection, options: [{ content }] }'
  const { text, reflection, options } = fieldsOf(made, 'proposer', shape)
  if (typeof text !== 'string') throw wrong('proposer', '`text` is not a text', shape)
  if (typeof reflection !== 'string') throw wrong('proposer', '`reflection` is not a text', shape)
  if (!Array.isArray(options)) throw wrong('proposer', '`options` is not a list', shape)
  for (const [i, option] of (options as Proposal['options']).entries()) {
    if (typeof option?.content !== 'string') throw wrong('proposer', `\`options[${i}].content\` is not a text`, shape)
    if (!isGrade(option.grade ?? null)) throw wrong('proposer', `\`options[${i}].grade\` is not a number`, shape)
    if (typeof (option.output ?? '') !== 'string')
      throw wrong('proposer', `\`options[${i}].output\` is not a text`, shape)
  }
  return made
}

/** Refuses what a grader gave when it is not one grade for each node. */
export function checkGrading(made: Grading, count: number): Grading {
  const shape = '{ grades: [{ value, details }] }, with one grade for each node in their order'
  const { grades } = fieldsOf(made, 'grader', shape)
  if (!Array.isArray(grades)) throw wrong('grader', '`grades` is not a list', shape)
  if (grades.length !== count) throw wrong('grader', `it returned ${grades.length} grades for ${count} nodes`, shape)
  for (const [i, grade] of (grades as Grading['grades']).entries()) {
    if (!isGrade(grade?.value)) throw wrong('grader', `\`grades[${i}].value\` is neither a number nor null`, shape)
    if (typeof grade.details !== 'string') throw wrong('grader', `\`grades[${i}].details\` is not a text`, shape)
  }
  return made
}

/** Refuses what an answerer gave when it is not an answer. */
export function checkAnswer(made: WrittenAnswer): WrittenAnswer {
  const { text } = fieldsOf(made, 'answerer', '{ text }')
  if (typeof text !== 'string') throw wrong('answerer', '`text` is not a text', '{ text }')
  return made
}

/** Refuses the result of a verifier when it is not a verdict. */
export function checkVerdict(result: VerifierResult): VerifierResult {
  const shape = 'true, false, a number from 0 to 1, or { accepted, score, reason }'
  if (typeof result === 'boolean' || (typeof result === 'number' && !Number.isNaN(result))) return result
  const { accepted, score = 0, reason = null } = fieldsOf(result, 'verifier', shape)
  if (typeof accepted !== 'boolean') throw wrong('verifier', '`accepted` is neither true nor false', shape)
  if (typeof score !== 'number' || Number.isNaN(score)) throw wrong('verifier', '`score` is not a number', shape)
  if (reason !== null && typeof reason !== 'string') throw wrong('verifier', '`reason` is not a text', shape)
  return result
}

/** Fills in what a part left out of its usage: one call, and nothing for what is not a positive number. */
export function usageOf({ used }: PartUsage): SearchUsage {
  const amount = (value: unknown, otherwise: number): number =>
    typeof value === 'number' && value >= 0 && value < Infinity ? value : otherwise
  return {
    ...used,
    calls: amount(used?.calls, 1),
    promptTokens: amount(used?.promptTokens, 0),
    completionTokens: amount(used?.completionTokens, 0),
    cost: amount(used?.cost, 0),
  }
}

const isGrade = (value: unknown): boolean => value === null || typeof value === 'number'

function fieldsOf(made: unknown, part: string, shape: string): Record<string, unknown> {
  if (typeof made === 'object' && made !== null) return made as Record<string, unknown>
  throw wrong(part, `it returned ${made === null ? 'null' : typeof made}`, shape)
}

const wrong = (part: string, problem: string, shape: string): XError =>
  new XError('invalid-result', `the ${part} of a search did not return what it should: ${problem}; return ${shape}`)
