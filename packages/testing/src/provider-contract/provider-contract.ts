import { answersContract } from './answers-contract.ts'
import { billingContract } from './billing-contract.ts'
import type { CompleteContract, ProviderContract } from './contract.ts'
import { factsContract } from './facts-contract.ts'
import { inputsContract } from './inputs-contract.ts'
import { keysContract } from './keys-contract.ts'
import { readContract, recordingsOf } from './read-contract.ts'
import { sentContract } from './sent-contract.ts'
import { stopsContract } from './stops-contract.ts'
import { failuresContract } from './failures-contract.ts'
import { requestsContract } from './requests-contract.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/**
 * Checks, offline, that an adapter keeps the promises that `@x/model` relies on: order of events, equality of complete and
 * streamed answers, usage, reasoning, streams cut at any byte, truncation, unknown events, failures, unchanged input; that
 * every input is sent or warned of, keys reach their host and no other, a call that is stopped stops its request, and every
 * request is counted as it is billed. With `meaning`, it also compares whole conversations with what was sent of them, and
 * whole answers with what was read. Throws a `TypeError` for a contract with neither `recordings` nor `meaning`.
 */
export function providerContract(runner: ContractRunner, contract: ProviderContract): void {
  const { meaning } = contract
  const recordings = contract.recordings ?? (meaning && recordingsOf(meaning))
  if (!recordings?.length) throw new TypeError('`providerContract` needs `recordings` or `meaning`: neither is given')
  const complete: CompleteContract = { ...contract, recordings }
  const skipped = new Set((contract.skip ?? []).map(({ test }) => test))
  const chosen: ContractRunner = {
    ...runner,
    test: (name, body) => {
      if (!skipped.has(name)) runner.test(name, body)
    },
  }
  runner.describe(`provider contract: ${contract.provider.apiTypes.join(', ')}`, () => {
    sentContract(chosen, complete)
    readContract(chosen, complete)
    factsContract(chosen, complete)
    answersContract(chosen, complete)
    failuresContract(chosen, complete)
    requestsContract(chosen, complete)
    inputsContract(chosen, complete)
    keysContract(chosen, complete)
    stopsContract(chosen, complete)
    billingContract(chosen, complete)
  })
}
