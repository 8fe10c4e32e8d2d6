import type { ChatCompletionRecord, ModelAttempt } from '@x/interfaces'
import type { XError } from '@x/kernel'
import type { ConfigAnswer } from './answer.steps.ts'
import { clientOf, type WrapperParts } from './wrapper-parts.ts'
import { finalFailure } from './final-failure.ts'
import type { ModelFailure } from './failover.ts'
import { finite } from '../usage/price.ts'
import type { PreparedRequest } from '../request/prepare-request.ts'
import { redact } from '../data/redact.ts'
import type { Slot } from '../config/slot.ts'

/** One config's turn in a call: what is written down of it. */
export interface Attempt {
  readonly parts: WrapperParts
  readonly slot: Slot
  readonly prepared: PreparedRequest
  readonly invocationId: string
  /** Milliseconds since 1970. */
  readonly startTime: number
  /** The turns of this call that gave no answer. */
  readonly attempts: ModelAttempt[]
}

/** Puts an answer into the ledger. */
export function recordUsage({ parts, slot, prepared }: Attempt, { answer, cost, cached }: ConfigAnswer): void {
  const usage = clientOf(parts, slot).getUsage(answer)
  parts.ledger.add({
    configId: slot.index,
    usage: {
      ...usage,
      promptTokens: finite(usage.promptTokens),
      completionTokens: finite(usage.completionTokens),
      totalTokens: finite(usage.totalTokens),
      cost,
    },
    cached,
    tags: prepared.extra.tags ?? [],
    agent: prepared.extra.agent ?? null,
    at: parts.runtime.now(),
  })
}

/** Logs how a turn ended. */
export function logTurn(
  { parts, slot, prepared, invocationId, startTime }: Attempt,
  outcome: Pick<ChatCompletionRecord, 'response' | 'isCached' | 'cost'>,
): void {
  parts.logger?.log({
    record: 'chatCompletion',
    invocationId,
    clientId: slot.index,
    wrapperId: parts.wrapperId,
    agent: prepared.extra.agent ?? null,
    request: prepared.params,
    startTime,
    ...outcome,
  })
}

/** Writes down that a turn gave no answer. */
export function noteAttempt(
  { parts, slot, prepared, startTime, attempts }: Attempt,
  facts: Pick<ModelAttempt, 'kind' | 'message' | 'status'>,
): void {
  const ms = parts.runtime.now() - startTime
  attempts.push({ configId: slot.index, model: prepared.params.model ?? null, ms, ...facts })
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

const secretsOfAll = ({ parts }: Attempt): string[] => parts.slots.flatMap(({ secrets }) => secrets)
