import type { ModelEvent } from '@x/interfaces'
import { type Steps } from '@x/kernel'
import { inSpan } from '@x/kernel/run'
import type { ConfigAnswer, ConfigCall } from './config-call.ts'

/** Asks one config between the events that tell of its start and end, if somebody listens to them. */
export function* inAttempt(call: ConfigCall, steps: Steps<ConfigAnswer, ModelEvent>): Steps<ConfigAnswer, ModelEvent> {
  const { reporter, slot, prepared, agent, callId, parts } = call
  if (!reporter.takes('modelAttemptStart') && !reporter.takes('modelAttemptEnd')) return yield* steps
  const { params } = prepared
  const id = reporter.scope?.newSpanId() ?? `${callId}.attempt${slot.index}`
  const facts = { configId: slot.index, model: params.model ?? null }
  const origin = reporter.scope?.origin?.(agent)
  const common = { type: 'modelAttempt', agent, id, parentId: callId, ...facts, ...origin } as const
  const { messages } = params
  const atStart = {
    messages: { value: messages.length, enumerable: true },
    // The messages are named and not told.
    digest: { get: () => parts.plan.shared.keys.keyOf({ messages }, NOBODY, undefined), enumerable: true },
  }
  const atEnd = (got: ConfigAnswer | undefined): object => ({ cached: got?.cached ?? false })
  return yield* inSpan(call.run, { common, atStart, atEnd, ...reporter.listener }, steps)
}

const NOBODY = { provider: '', baseUrl: undefined, apiVersion: undefined }
