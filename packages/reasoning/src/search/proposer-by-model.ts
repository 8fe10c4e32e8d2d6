import { XError } from '@x/kernel'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { Proposer } from './parts.ts'

/**
 * Makes one proposer of several, by the name of the model that a method asks for; a method that names none asks the first.
 * A name that is not among them fails the job with `invalid-argument`. The proposers see no name.
 */
export function proposerByModel(proposers: Readonly<Record<string, Proposer>>): Proposer {
  const names = Object.keys(proposers)
  if (names.length === 0) {
    throw new XError('invalid-argument', 'cannot run `proposerByModel`: it has no proposers; give one for each name')
  }
  const known = names.map((name) => proposers[name]!)
  const broken = names.find((name) => typeof proposers[name]?.propose !== 'function')
  if (broken !== undefined) {
    throw new XError(
      'invalid-argument',
      `cannot run \`proposerByModel\`: \`${broken}\` is not a proposer; give { ${broken}: modelProposer({ model }) }`,
      { details: { name: broken } },
    )
  }
  const modelNames = known.flatMap(({ modelName = [] }) => modelName)
  const proposer: Proposer = {
    ...(modelNames.length > 0 && { modelName: modelNames.join(', ') }),
    propose(request, run) {
      const { model = names[0]! } = request
      if (Object.hasOwn(proposers, model)) return proposers[model]!.propose({ ...request, model: undefined }, run)
      throw new XError(
        'invalid-argument',
        `cannot ask the model \`${model}\` for options: there are proposers for ${names.join(', ')}`,
      )
    },
  }
  if (known.some(({ fingerprint }) => fingerprint === undefined)) return proposer
  const parts = names.map((name) => [name, proposers[name]!.fingerprint])
  return withFingerprint(proposer, 'proposer-by-model', parts)
}
