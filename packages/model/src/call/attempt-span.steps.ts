import type { ModelEvent, ModelParams } from '@x/interfaces'
import { type Steps } from '@x/kernel'
import { finite } from '@x/kernel/price'
import { inSpan } from '@x/kernel/run'
import type { KeyMaker } from '../cache/cache-key.ts'
import { countUsage } from './answer-usage.ts'
import type { ConfigAnswer, ConfigCall } from './config-call.ts'
import { isModelFailure } from './failover.ts'

/** Asks one config between the events that tell of its start and end, if somebody listens to them. */
export function inAttempt(call: ConfigCall, steps: Steps<ConfigAnswer, ModelEvent>): Steps<ConfigAnswer, ModelEvent> {
  const { reporter, slot, prepared, agent, callId, parts } = call
  if (!reporter.takes('modelAttemptStart') && !reporter.takes('modelAttemptEnd')) return steps
  const { params } = prepared
  const id = reporter.scope?.newSpanId() ?? `${callId}.attempt${slot.index}`
  const facts = { configId: slot.index, model: params.model ?? null }
  const origin = reporter.scope?.origin?.(agent)
  const common = { type: 'modelAttempt', agent, id, parentId: callId, ...facts, ...origin } as const
  const { messages } = params
  const named: Named = { messages, keys: parts.plan.shared.keys }
  const atStart = {
    messages: { value: messages.length, enumerable: true },
    [NAMED]: { value: named },
    digest: DIGEST,
  }
  const atEnd = (got: ConfigAnswer | undefined, error: unknown): object => ({
    cached: got?.cached ?? false,
    ...(call.waitedMs !== undefined && { waitedMs: call.waitedMs }),
    kind: isModelFailure(error) ? error.kind : null,
    ...usedBy(call, got),
  })
  return inSpan(call.run, { common, atStart, atEnd, ...reporter.listener }, steps)
}

/** What an attempt has used: by a whole answer, or by a part of one as an estimate. */
function usedBy(call: ConfigCall, got: ConfigAnswer | undefined): { usage: object | null; cost: number | null } {
  const { usage, cost } = got
    ? { usage: countUsage(call, got.answer).usage, cost: got.cost }
    : (call.buffer.used ?? NOTHING)
  if (!usage) return NOTHING
  const { promptTokens, completionTokens, totalTokens } = usage
  return {
    usage: {
      promptTokens: finite(promptTokens),
      completionTokens: finite(completionTokens),
      totalTokens: finite(totalTokens),
    },
    cost,
  }
}

const NOTHING = { usage: null, cost: null }

const NOBODY = { provider: '', baseUrl: undefined, apiVersion: undefined }

/** The messages that a digest names, and what makes it. */
interface Named {
  readonly messages: ModelParams['messages']
  readonly keys: KeyMaker
}

const NAMED = Symbol('the messages that a digest names')

/**
 * The digest of an event, made when it is read: the messages are named and not told. One getter for all events, since V8
 * makes a hidden class for each object with a getter of its own, and that keeps the messages alive for long.
 */
const DIGEST: PropertyDescriptor & ThisType<{ readonly [NAMED]: Named }> = {
  get() {
    const { messages, keys } = this[NAMED]
    return keys.keyOf({ messages }, NOBODY, undefined)
  },
  enumerable: true,
}
