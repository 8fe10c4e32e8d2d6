import type { CallInput, EmbedResponse, ModelAttempt, ModelEvent, RunTrace, TokenCount } from '@x/interfaces'
import { currentRun, isXError, type Steps, wait, type XError } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { addAttempt, finalError } from './attempt.ts'
import { clientOf, type ConfigCall, newConfigCall, newSentRequests } from './config-call.ts'
import type { Reporter } from './reporter.steps.ts'
import { isModelFailure } from './sending-policy.ts'
import { nextStep } from './sending.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'
import { hostOf, providerNameOf, type Slot } from '../config/slot.ts'
import type { PreparedRequest } from '../request/prepare-request.ts'

/** An operation of a wrapper beside answers. */
export interface Operation {
  readonly name: NonNullable<ConfigCall['operation']>
  /** Name of the agent that asks. */
  readonly agent: string | null
  readonly reporter: Reporter
  /** Returns the request as a config sends it. */
  readonly prepare: (slot: Slot) => PreparedRequest
}

/** The result of an operation, as a trace tells it. */
type TracedFacts = Omit<Parameters<ReturnType<NonNullable<RunTrace['beginOperation']>>>[0], 'time' | 'failure'>

const NO_FACTS: TracedFacts = { model: null, tokens: null, cost: null, dimensions: null }

/** Stands for an error without a code. */
const UNKNOWN_ERROR = '_OTHER'

/** Begins the request of an operation in the trace of its run; returns what ends it, undefined if nobody follows it. */
function beginTraced(
  { reporter, slot, parts, prepared, agent }: ConfigCall,
  name: Operation['name'],
): ((facts: TracedFacts, failure: string | null) => void) | undefined {
  const { scope, spanId: parentId } = reporter
  if (!scope?.trace?.beginOperation) return undefined
  const id = scope.newSpanId()
  const end = scope.trace.beginOperation({
    name,
    id,
    parentId,
    agent,
    configId: slot.index,
    provider: providerNameOf(slot),
    endpoint: hostOf(clientOf({ parts, slot }).endpoint ?? slot.client.baseUrl),
    model: prepared.params.model ?? null,
    time: scope.now(),
  })
  reporter.spanId = id
  return (facts, failure) => {
    reporter.spanId = parentId
    end({ ...facts, failure, time: scope.now() })
  }
}

/** Returns what a trace tells of a result. */
function factsOf(result: EmbedResponse | TokenCount): TracedFacts {
  const { model } = result
  if (!('embeddings' in result)) return { ...NO_FACTS, model, tokens: result.promptTokens }
  const { embeddings, usage, cost, unpriced, cachedCount } = result
  const isCached = cachedCount === embeddings.length
  return {
    model,
    tokens: isCached ? null : usage.promptTokens,
    cost: isCached || unpriced ? null : cost,
    dimensions: embeddings[0]?.length ?? null,
  }
}

/** The steps of an operation, what it asks, and what makes its result of one that was kept. */
interface OperationSteps<T> {
  readonly asks: () => CallInput
  readonly steps: Steps<T, ModelEvent>
  readonly recall: (known: T) => T
}

/** Runs an operation. In a run it has a place of its own, and the journal keeps its result, which must be plain data. */
export function* runOperation<T>(
  reporter: Reporter,
  name: Operation['name'],
  { asks, steps, recall }: OperationSteps<T>,
): Steps<T, ModelEvent> {
  const { run, scope } = reporter
  const open = run && scope?.open?.(run, { kind: 'tool', name })
  if (open?.noteInput) open.noteInput(asks())
  try {
    if (open?.known) return recall(open.known.value as T)
    const held = open?.beforeCall?.()
    if (held) yield* wait(held, 'the journal of a chat')
    const result = yield* steps
    if (open?.recorded) yield* wait(open.keep(result), 'the journal of a chat')
    return result
  } finally {
    open?.end()
  }
}

/** Asks configs in order by `ask` until one gives a result; returns undefined without configs. The error has every attempt. */
export function* askSlots<T extends EmbedResponse | TokenCount>(
  parts: WrapperParts,
  slots: readonly Slot[],
  operation: Operation,
  ask: (call: ConfigCall) => Steps<T, ModelEvent>,
): Steps<T | undefined, ModelEvent> {
  const { name, agent, reporter, prepare } = operation
  const { plan } = parts
  const run = yield* currentRun()
  const attempts: ModelAttempt[] = []
  const sent = newSentRequests()
  let failed: XError | undefined
  for (const slot of slots) {
    const prepared = prepare(slot)
    const last = slot === plan.slots.at(-1)
    const common = { parts, slot, prepared, run, last, reporter, agent, attempts, sent }
    const call = newConfigCall({ ...common, invocationId: '', operation: name })
    const end = beginTraced(call, name)
    try {
      const value = yield* ask(call)
      end?.(factsOf(value), null)
      return value
    } catch (error) {
      end?.(NO_FACTS, isModelFailure(error) ? error.kind : isXError(error) ? error.code : UNKNOWN_ERROR)
      if (!isModelFailure(error)) throw error
      const { kind, message, status } = error
      addAttempt(call, { kind, message: redact(message, slot.secrets), ...(status !== undefined && { status }) })
      failed = finalError(call, error)
      if (nextStep({ ...call, last: false }, error).step === 'end') throw failed
    }
  }
  if (failed) throw failed
  return undefined
}
