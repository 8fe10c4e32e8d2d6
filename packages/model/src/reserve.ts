import type { Budget, ModelAnswer, ModelClient, ModelParams, Reservation } from '@x/interfaces'
import { costOf, type PricePair } from './price.ts'
import type { Ledger } from './ledger.ts'

/** Tokens that an answer is taken to have when the request sets no limit and no other answer is known. */
const USUAL_COMPLETION = 1024

/** What a reservation is made for. */
export interface Reserved {
  readonly price: PricePair | null
  readonly client: ModelClient
  readonly params: ModelParams
  readonly ledger: Ledger
}

/**
 * Sets aside what a call may use, at the known price: its text at four characters a token, and an answer of its limit or
 * as long as the longest so far.
 */
export function reserveFor(budget: Budget, { price, client, params, ledger }: Reserved): Reservation {
  const { max_tokens: max, max_completion_tokens: maxCompletion = max } = params as Record<string, number | undefined>
  const prompt = Math.ceil(JSON.stringify([params.messages, params['tools'], params['prompt']]).length / 4)
  const completion = maxCompletion ?? ledger.longestAnswer ?? USUAL_COMPLETION
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  const answer: ModelAnswer = { id: '', model: params.model ?? '', created: 0, choices: [], usage }
  const cost = price ? costOf(usage, price) : client.cost(answer)
  return budget.reserve({ cost: cost ?? 0, tokens: usage.total_tokens, calls: 1 })
}
