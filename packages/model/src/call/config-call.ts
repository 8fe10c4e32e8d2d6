import type { Budget, ModelAttempt, ModelClient, Run, StoredAnswer } from '@x/interfaces'
import { blockingClient } from '../clients/blocking.ts'
import type { Slot } from '../config/slot.ts'
import type { PreparedRequest } from '../request/prepare-request.ts'
import type { Reporter } from './reporter.ts'
import type { StreamBuffer } from './stream.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'

/** One config's turn in a call. */
export interface ConfigCall {
  readonly parts: WrapperParts
  readonly slot: Slot
  readonly prepared: PreparedRequest
  readonly run: Run
  /** Whether no further config remains. */
  readonly last: boolean
  /** The events of a streamed answer that wait. */
  readonly buffer: StreamBuffer
  /** The caller's budget, which has to admit the call beside that of the config. */
  readonly budget: Budget | undefined
  /** Hears warnings and attempts. */
  readonly reporter: Reporter
  /** Name of the agent that asks. */
  readonly agent: string | null
  /** Names the call among the spans of its run. */
  readonly callId: string
  /** Identifier of the whole call in the log; empty without a log. */
  readonly invocationId: string
  /** Milliseconds since 1970. */
  readonly startTime: number
  /** The turns of this call that gave no answer. */
  readonly attempts: ModelAttempt[]
  /** The client, once it was asked for: see {@link clientOf}. */
  client?: ModelClient | undefined
  /** Milliseconds in which it waited for the permit of its limiter, if it did. */
  waitedMs?: number | undefined
}

/** An answer, and whether a cache gave it. */
export interface ConfigAnswer extends StoredAnswer {
  readonly cached: boolean
}

/** Gives the client that is asked. It exists: `create` refuses placeholders before. */
export function clientOf(call: Pick<ConfigCall, 'parts' | 'slot' | 'client'>): ModelClient {
  const { parts, slot } = call
  return (call.client ??= parts.own?.[slot.index] ?? parts.plan.shared.clientFor(slot.provider!, slot.client))
}

/**
 * Gives what a blocking call asks: a provider that another thread can import is asked there, any other client in this
 * thread, where a promise is refused.
 */
export function blockingClientOf(call: ConfigCall): Pick<ModelClient, 'create'> {
  const { parts, slot } = call
  const module = parts.own?.[slot.index] ? undefined : slot.provider?.module
  return module ? blockingClient(module, slot.client) : clientOf(call)
}
