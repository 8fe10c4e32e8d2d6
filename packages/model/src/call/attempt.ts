import type { ChatCompletionRecord, ModelAttempt } from '@x/interfaces'
import type { XError } from '@x/kernel'
import type { Answered } from './answer.steps.ts'
import { clientOf, type Core } from './wrapper-parts.ts'
import { finalFailure } from './final-failure.ts'
import type { ModelFailure } from './failover.ts'
import { finite } from '../usage/price.ts'
import type { Question } from '../request/question.ts'
import { redact } from '../data/redact.ts'
import type { Slot } from '../config/slot.ts'

/** One config's turn in a call: what is written down of it. */
export interface Attempt {
  readonly core: Core
  readonly slot: Slot
  readonly question: Question
  readonly invocationId: string
  /** Milliseconds since 1970. */
  readonly startTime: number
  /** The turns of this call that gave no answer. */
  readonly attempts: ModelAttempt[]
}

/** Puts an answer into the ledger. */
export function enterUsage({ core, slot, question }: Attempt, { answer, cost, cached }: Answered): void {
  const usage = clientOf(core, slot).getUsage(answer)
  core.ledger.add({
    configId: slot.index,
    usage: {
      ...usage,
      promptTokens: finite(usage.promptTokens),
      completionTokens: finite(usage.completionTokens),
      totalTokens: finite(usage.totalTokens),
      cost,
    },
    cached,
    tags: question.extra.tags ?? [],
    agent: question.extra.agent ?? null,
    at: core.runtime.now(),
  })
}

/** Logs how a turn ended. */
export function logTurn(
  { core, slot, question, invocationId, startTime }: Attempt,
  outcome: Pick<ChatCompletionRecord, 'response' | 'isCached' | 'cost'>,
): void {
  core.logger?.log({
    record: 'chatCompletion',
    invocationId,
    clientId: slot.index,
    wrapperId: core.wrapperId,
    agent: question.extra.agent ?? null,
    request: question.params,
    startTime,
    ...outcome,
  })
}

/** Writes down that a turn gave no answer. */
export function noteAttempt(
  { core, slot, question, startTime, attempts }: Attempt,
  facts: Pick<ModelAttempt, 'kind' | 'message' | 'status'>,
): void {
  const ms = core.runtime.now() - startTime
  attempts.push({ configId: slot.index, model: question.params.model ?? null, ms, ...facts })
}

/** Writes a failed turn down. */
export function noteFailure(turn: Attempt, error: ModelFailure): void {
  const { slot } = turn
  const { kind, status, details } = error
  const code: unknown = details?.['code'] ?? status ?? kind
  const response = `error_code:${typeof code === 'string' ? code : JSON.stringify(code)}, config ${slot.index} failed`
  // The reference logs what an API answered; a call that timed out has no answer.
  if (kind !== 'timeout') logTurn(turn, { response, isCached: 0, cost: 0 })
  noteAttempt(turn, {
    kind,
    message: redact(error.message, secretsOfAll(turn)),
    ...(status !== undefined && { status }),
  })
}

/** The error that ends a call whose last turn failed. */
export function finalError(turn: Attempt, error: ModelFailure): XError {
  return finalFailure(error, turn.slot, [...turn.attempts], secretsOfAll(turn))
}

const secretsOfAll = ({ core }: Attempt): string[] => core.slots.flatMap(({ secrets }) => secrets)
