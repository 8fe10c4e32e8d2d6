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
  const common = { type: 'modelAttempt', agent, id, parentId: callId, ...facts } as const
  // The messages are named and not told.
  const digest = parts.plan.shared.keys.keyOf({ messages: params.messages }, NOBODY, undefined)
  const atStart = { messages: params.messages.length, digest }
  const atEnd = (got: ConfigAnswer | undefined): object => ({ cached: got?.cached ?? false })
  return yield* inSpan(call.run, { common, atStart, atEnd, ...reporter.listener }, steps)
}

const NOBODY = { provider: '', baseUrl: undefined, apiVersion: undefined }
