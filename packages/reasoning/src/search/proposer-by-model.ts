import { XError } from '@x/kernel'
import { settingsOf, withFingerprint } from '../strategy/fingerprint.ts'
import type { Proposer } from './parts.ts'

/**
 * Combines several proposers into one that chooses by the name of the model that a method wants, and the first by default.
 * An unknown name fails the job with `invalid-argument`. The chosen proposer does not see the name.
 */
export function proposerByModel(proposers: Readonly<Record<string, Proposer>>): Proposer {
  const names = Object.keys(proposers)
  if (names.length === 0) {
    throw new XError(
      'invalid-argument',
      'cannot run `proposerByModel` without proposers: give one for each name of a model',
    )
  }
  const all = names.map((name) => proposers[name]!)
  const wrong = names.find((name) => typeof proposers[name]?.propose !== 'function')
  if (wrong !== undefined) {
    throw new XError(
      'invalid-argument',
      `cannot run \`proposerByModel\`: \`${wrong}\` is not a proposer; give { ${wrong}: modelProposer({ model }) }`,
      { details: { name: wrong } },
    )
  }
  const modelNames = all.flatMap(({ modelName = [] }) => modelName)
  const proposer: Proposer = {
    ...(modelNames.length > 0 && { modelName: modelNames.join(', ') }),
    requestSettings: () => all.map(({ requestSettings }) => requestSettings?.() ?? null),
    propose(request, run) {
      const { model = names[0]! } = request
      if (Object.hasOwn(proposers, model)) return proposers[model]!.propose({ ...request, model: undefined }, run)
      throw new XError(
        'invalid-argument',
        `cannot ask the model \`${model}\` for options: \`proposerByModel\` has proposers for ${names.join(', ')}`,
      )
    },
  }
  if (all.some(({ fingerprint }) => fingerprint === undefined)) return proposer
  const parts = names.map((name) => [name, proposers[name]!.fingerprint])
  const told = Object.fromEntries(names.map((name) => [name, settingsOf(proposers[name])]))
  return withFingerprint(proposer, 'proposer-by-model', parts, told)
}
