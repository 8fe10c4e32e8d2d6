import { XError } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { BOUND_KINDS } from './bounds.ts'
import { checkBudget } from './budget.ts'
import type { Strategy } from '../strategy/strategy.ts'
import type { SearchOptions } from './search-options.ts'

/** Kinds of the parts of a search. */
export const PART_KINDS: OptionKinds<Partial<Pick<SearchOptions, 'proposer' | 'grader' | 'answerer' | 'verifier'>>> = {
  proposer: kind.having('a proposer with `propose`, such as `modelProposer({ model })`', 'propose'),
  grader: kind.having('a grader with `grade`, such as `modelGrader({ model })`', 'grade'),
  answerer: kind.having('an answerer with `answer`, such as `modelAnswerer({ model })`', 'answer'),
  verifier: kind.call,
}

const SEARCH_KINDS: OptionKinds<SearchOptions> = {
  method: { ...kind.call, expected: 'a method, such as `beam({ beamSize: 3 })`, or `methodOf` of a name' },
  ...PART_KINDS,
  repair: kind.flag,
  ...BOUND_KINDS,
  budget: kind.object,
  concurrency: kind.limit(1),
  perform: kind.call,
  journal: kind.having('a journal, such as `new MemorySearchJournal({ question })`', 'get', 'set'),
  random: kind.call,
  clock: kind.having('a clock with `now` and `after`', 'now', 'after'),
  ...runOptionKinds,
  emit: kind.call,
}

/** Throws if the result of a method is not a strategy. */
export function checkStrategy(strategy: Strategy): void {
  const missingOperation = (['ask', 'tell', 'best'] as const).find((name) => typeof strategy?.[name] !== 'function')
  const missing = missingOperation ?? (Array.isArray(strategy.trees) ? undefined : 'trees')
  if (missing === undefined) return
  throw new XError(
    'invalid-argument',
    `cannot search: the method made a strategy without \`${missing}\`; give a method such as \`beam()\`, or the result of \`searchMethod\``,
    { details: { lacks: missing } },
  )
}

/** Throws for a question that is no text, and for an unknown, wrong or missing option of a search. */
export function checkSearch(question: unknown, options: SearchOptions, operation: string): void {
  if (typeof question !== 'string')
    throw new XError('invalid-argument', `cannot run \`${operation}\`: its question is not a text; give a string`)
  checkOptions(options ?? null, SEARCH_KINDS, `run \`${operation}\``)
  for (const part of ['proposer', 'grader', 'answerer'] as const) {
    if (options[part]) continue
    throw new XError(
      'invalid-argument',
      `cannot run \`${operation}\`: \`${part}\` is missing; give { ...modelParts({ model }) }, or ${PART_KINDS[part].expected}`,
    )
  }
  checkBudget(options.budget)
}
