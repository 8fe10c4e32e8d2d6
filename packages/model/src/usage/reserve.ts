import type { Budget, ModelAnswer, ModelClient, ModelParams, Reservation, Spending } from '@x/interfaces'
import { costOf, type PricePair } from './price.ts'

/** Tokens that an answer is taken to have when the request sets no limit and no other answer is known. */
const USUAL_COMPLETION = 1024

/** The call that a reservation is made for. */
export interface ReservedCall {
  readonly price: PricePair | null
  readonly client: ModelClient
  readonly params: ModelParams
  /** Output tokens of the longest answer so far. */
  readonly longestAnswer: number | undefined
}

/** The amounts that are reserved for one call in every budget that has to admit it. */
export interface HeldReservation {
  /** Replaces the estimates by what the call really used; `actual` is called only when there is a budget. */
  settle(actual: () => Spending): void
  /** Gives everything back that was not settled. */
  release(): void
}

/** The reservation of a call without a budget. */
const NOTHING: HeldReservation = { settle() {}, release() {} }

/** Reserves what a call may use in all of several budgets, each once, or in none when one of them refuses. */
export function reserveFor(
  first: Budget | null | undefined,
  second: Budget | null | undefined,
  call: ReservedCall,
): HeldReservation {
  if (!first && !second) return NOTHING
  const open: Reservation[] = []
  const release = (): void => open.splice(0).forEach((each) => each.release())
  const estimate = estimateOf(call)
  try {
    if (first) open.push(first.reserve(estimate))
    if (second && second !== first) open.push(second.reserve(estimate))
  } catch (error) {
    release()
    throw error
  }
  return {
    settle(actual) {
      if (open.length === 0) return
      const used = actual()
      for (const each of open.splice(0)) each.settle(used)
    },
    release,
  }
}

/** Estimates what a call may use, at the known price: its text at four characters a token, and an answer of its limit or as long as the longest so far. */
function estimateOf({ price, client, params, longestAnswer }: ReservedCall): Spending {
  const { max_tokens: max, max_completion_tokens: maxCompletion = max } = params as Record<string, number | undefined>
  const prompt = Math.ceil(JSON.stringify([params.messages, params['tools'], params['prompt']]).length / 4)
  const completion = maxCompletion ?? longestAnswer ?? USUAL_COMPLETION
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  const answer: ModelAnswer = { id: '', model: params.model ?? '', created: 0, choices: [], usage }
  const cost = price ? costOf(usage, price) : client.cost(answer)
  return { cost: cost ?? 0, tokens: usage.total_tokens, calls: 1 }
}
