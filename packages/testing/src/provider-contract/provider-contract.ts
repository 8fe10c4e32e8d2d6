import { answersContract } from './answers-contract.ts'
import { billingContract } from './billing-contract.ts'
import type { ProviderContract } from './contract.ts'
import { inputsContract } from './inputs-contract.ts'
import { keysContract } from './keys-contract.ts'
import { stopsContract } from './stops-contract.ts'
import { failuresContract } from './failures-contract.ts'
import { requestsContract } from './requests-contract.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/**
 * Checks, offline, that an adapter keeps the promises that `@x/model` relies on: order of events, equality of complete and
 * streamed answers, usage, reasoning, streams cut at any byte, truncation, unknown events, failures, unchanged input; that
 * every input is sent or warned of, keys reach their host and no other, a call that is stopped stops its request, and every
 * request is counted as it is billed.
 */
export function providerContract(runner: ContractRunner, contract: ProviderContract): void {
  const skipped = new Set((contract.skip ?? []).map(({ test }) => test))
  const chosen: ContractRunner = {
    ...runner,
    test: (name, body) => {
      if (!skipped.has(name)) runner.test(name, body)
    },
  }
  runner.describe(`provider contract: ${contract.provider.apiTypes.join(', ')}`, () => {
    answersContract(chosen, contract)
    failuresContract(chosen, contract)
    requestsContract(chosen, contract)
    inputsContract(chosen, contract)
    keysContract(chosen, contract)
    stopsContract(chosen, contract)
    billingContract(chosen, contract)
  })
}
