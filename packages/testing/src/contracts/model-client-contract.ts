import { deepFreeze } from './deep-freeze.ts'
import type { ContractRunner } from './contract-runner.ts'
import { clientAnswers } from './client-answers.ts'
import { CLIENT_KEY, type ModelClientContract, type WithClient } from './client-contract.ts'
import { clientFailures } from './client-failures.ts'

/**
 * Checks that a model client keeps the promises that the wrapper relies on: its answers complete and streamed, its usage,
 * its failures by kind, stopping, secrets, and input that stays as it was. It asks the client and no network: for
 * adapters of a wire format there is `providerContract` beside it.
 */
export function modelClientContract(runner: ContractRunner, contract: ModelClientContract): void {
  const { create, dispose, model, name } = contract
  const withClient: WithClient = async (turns, use) => {
    try {
      const client = await create(turns, CLIENT_KEY)
      const params = { ...(model !== undefined && { model }), messages: [{ role: 'user' as const, content: 'Hello?' }] }
      return await use({ client, params: deepFreeze(params) })
    } finally {
      await dispose?.()
    }
  }
  runner.describe(`model client contract: ${name}`, () => {
    clientAnswers(runner, withClient)
    clientFailures(runner, withClient, contract)
  })
}
