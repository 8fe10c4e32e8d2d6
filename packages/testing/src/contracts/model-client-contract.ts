import { deepFreeze } from './deep-freeze.ts'
import type { ContractRunner } from './contract-runner.ts'
import { checkClientAnswers } from './client-answers.ts'
import { CLIENT_KEY, type ModelClientContract, type WithClient } from './client-contract.ts'
import { checkClientFailures } from './client-failures.ts'

/**
 * Checks that a model client keeps the promises that `@x/model` relies on: complete and streamed answers, usage, kinds of
 * failures, aborts, secrets, unchanged input. It does not look at the bytes on the wire; `providerContract` does.
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
    checkClientAnswers(runner, withClient)
    checkClientFailures(runner, withClient, contract)
  })
}
