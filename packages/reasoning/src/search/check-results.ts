import type { SearchUsage } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { Grading, PartUsage, Proposal, VerifierResult, WrittenAnswer } from './parts.ts'

/** Throws if the result of a proposer is not a proposal. */
export function checkProposal(result: Proposal): Proposal {
  const shape = '{ text, reflection, options: [{ content }] }'
  const { text, reflection, options } = fieldsOf(result, 'proposer', shape)
  if (typeof text !== 'string') throw wrongResult('proposer', '`text` is not a text', shape)
  if (typeof reflection !== 'string') throw wrongResult('proposer', '`reflection` is not a text', shape)
  if (!Array.isArray(options)) throw wrongResult('proposer', '`options` is not a list', shape)
  for (const [i, option] of (options as Proposal['options']).entries()) {
    if (typeof option?.content !== 'string')
      throw wrongResult('proposer', `\`options[${i}].content\` is not a text`, shape)
    if (!isGrade(option.grade ?? null)) throw wrongResult('proposer', `\`options[${i}].grade\` is not a number`, shape)
    if (typeof (option.output ?? '') !== 'string')
      throw wrongResult('proposer', `\`options[${i}].output\` is not a text`, shape)
  }
  return result
}

/** Throws if the result of a grader is not one grade for each node. */
export function checkGrading(result: Grading, count: number): Grading {
  const shape = '{ grades: [{ value, details }] }, with one grade for each node in their order'
  const { grades } = fieldsOf(result, 'grader', shape)
  if (!Array.isArray(grades)) throw wrongResult('grader', '`grades` is not a list', shape)
  if (grades.length !== count)
    throw wrongResult('grader', `it returned ${grades.length} grades for ${count} nodes`, shape)
  for (const [i, grade] of (grades as Grading['grades']).entries()) {
    if (!isGrade(grade?.value))
      throw wrongResult('grader', `\`grades[${i}].value\` is neither a number nor null`, shape)
    if (typeof grade.details !== 'string') throw wrongResult('grader', `\`grades[${i}].details\` is not a text`, shape)
  }
  return result
}

/** Throws if the result of an answerer is not an answer. */
export function checkAnswer(result: WrittenAnswer): WrittenAnswer {
  const { text } = fieldsOf(result, 'answerer', '{ text }')
  if (typeof text !== 'string') throw wrongResult('answerer', '`text` is not a text', '{ text }')
  return result
}

/** Throws if the result of a verifier is not a verdict. */
export function checkVerdict(result: VerifierResult): VerifierResult {
  const shape = 'true, false, a number from 0 to 1, or { accepted, score, reason }'
  if (typeof result === 'boolean' || (typeof result === 'number' && !Number.isNaN(result))) return result
  const { accepted, score = 0, reason = null } = fieldsOf(result, 'verifier', shape)
  if (typeof accepted !== 'boolean') throw wrongResult('verifier', '`accepted` is neither true nor false', shape)
  if (typeof score !== 'number' || Number.isNaN(score)) throw wrongResult('verifier', '`score` is not a number', shape)
  if (reason !== null && typeof reason !== 'string') throw wrongResult('verifier', '`reason` is not a text', shape)
  return result
}

/** Completes the usage of a part: one call by default, and 0 for a missing or negative amount. */
export function usageOf({ used }: PartUsage): SearchUsage {
  const amount = (value: unknown, fallback: number): number =>
    typeof value === 'number' && value >= 0 && value < Infinity ? value : fallback
  return {
    ...used,
    calls: amount(used?.calls, 1),
    promptTokens: amount(used?.promptTokens, 0),
    completionTokens: amount(used?.completionTokens, 0),
    cost: amount(used?.cost, 0),
  }
}

const isGrade = (value: unknown): boolean => value === null || typeof value === 'number'

function fieldsOf(result: unknown, part: string, shape: string): Record<string, unknown> {
  if (typeof result === 'object' && result !== null) return result as Record<string, unknown>
  throw wrongResult(part, `it returned ${result === null ? 'null' : typeof result}`, shape)
}

const wrongResult = (part: string, problem: string, shape: string): XError =>
  new XError('invalid-result', `the ${part} of a search returned a wrong result: ${problem}; return ${shape}`)
