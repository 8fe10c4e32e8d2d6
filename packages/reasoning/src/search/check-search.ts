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

const KINDS: OptionKinds<SearchOptions> = {
  method: { ...kind.call, expected: 'a method, such as `beam({ beamSize: 3 })`, or `methodOf` of a name' },
  ...PART_KINDS,
  repair: kind.flag,
  ...BOUND_KINDS,
  budget: kind.object,
  concurrency: kind.limit(1),
  journal: kind.having('a journal, such as `new MemorySearchJournal({ question })`', 'get', 'set'),
  random: kind.call,
  clock: kind.having('a clock with `now` and `after`', 'now', 'after'),
  ...runOptionKinds,
  emit: kind.call,
}

/** Refuses what a method made when it is not a strategy. */
export function checkStrategy(strategy: Strategy): void {
  const lacking = (['ask', 'tell', 'best'] as const).find((operation) => typeof strategy?.[operation] !== 'function')
  const lacks = lacking ?? (Array.isArray(strategy.trees) ? undefined : 'trees')
  if (lacks === undefined) return
  throw new XError(
    'invalid-argument',
    `cannot search: the method made a strategy without \`${lacks}\`; give a method such as \`beam()\`, or one that \`searchMethod\` makes`,
    { details: { lacks } },
  )
}

/** Refuses an unknown, wrong or missing option of a search. */
export function checkSearch(options: SearchOptions, operation: string): void {
  checkOptions(options ?? null, KINDS, `run \`${operation}\``)
  for (const part of ['proposer', 'grader', 'answerer'] as const) {
    if (options[part]) continue
    throw new XError(
      'invalid-argument',
      `cannot run \`${operation}\`: it has no \`${part}\`; give { ...modelParts({ model }) }, or ${PART_KINDS[part].expected}`,
    )
  }
  checkBudget(options.budget)
}
