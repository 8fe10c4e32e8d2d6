import { XError } from '@x/kernel'
import type { Proposer } from './parts.ts'

/**
 * Makes one proposer of several, by the name of the model that a method asks for; a method that names none asks the first.
 * A name that is not among them fails the job with `invalid-argument`.
 */
export function proposerByModel(proposers: Readonly<Record<string, Proposer>>): Proposer {
  const names = Object.keys(proposers)
  if (names.length === 0) {
    throw new XError('invalid-argument', 'cannot run `proposerByModel`: it has no proposers; give one for each name')
  }
  return {
    propose(request, run) {
      const { model = names[0]! } = request
      if (Object.hasOwn(proposers, model)) return proposers[model]!.propose(request, run)
      throw new XError(
        'invalid-argument',
        `cannot ask the model \`${model}\` for options: there are proposers for ${names.join(', ')}`,
      )
    },
  }
}
