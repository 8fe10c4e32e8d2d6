import type { ModelEvent, ModelResponse, OpenCall, RunOptions, UsageSummary } from '@x/interfaces'
import { currentRun, wait, type Steps } from '@x/kernel'
import { inSpan } from '@x/kernel/run'
import { agentOf, type WrapperRequest } from '../request/check-request.ts'
import type { ConfigAnswer } from './config-call.ts'
import { askConfigs, responseOf } from './create.steps.ts'
import { Reporter } from './reporter.ts'
import { eventsOf } from './stream.steps.ts'
import type { WrapperParts } from './wrapper-parts.ts'

/**
 * Asks for an answer. In a run that a tool or function passes on, the call is one of the run's own: it has a place, its
 * answer is kept in the journal and recalled from there, and its start and end are events. The model of an agent is asked
 * in a run that keeps the answer itself.
 */
export function create(
  parts: WrapperParts,
  request: WrapperRequest,
  options: Pick<RunOptions, 'run' | 'emit'>,
): Steps<ModelResponse, ModelEvent> {
  const reporter = new Reporter(parts, options)
  const { scope } = reporter
  const asked = withCacheOf(reporter, request)
  if (scope?.callKind === 'model') return askConfigs(parts, asked, reporter, scope.spanId ?? scope.newSpanId())
  // Outside of runs, a call that nobody listens to is no span, and needs no name.
  return scope || options.emit ? createInRun(parts, asked, reporter) : askConfigs(parts, asked, reporter, '')
}

function* createInRun(
  parts: WrapperParts,
  asked: WrapperRequest,
  reporter: Reporter,
): Steps<ModelResponse, ModelEvent> {
  const { run, scope } = reporter
  const open = run && scope?.open?.(run, { kind: 'model' })
  const id = open?.place ?? (scope ? scope.newSpanId() : parts.plan.runtime.newId())
  const asking = askConfigs(parts, asked, reporter, id)
  const steps = open ? askAndKeep(parts, open, asking) : asking
  try {
    if (!scope || open?.known || !reporter.takes('modelCallStart')) return yield* steps
    const agent = agentOf(asked)
    const common = { type: 'modelCall', agent, id, parentId: scope.spanId, ...scope.origin?.(agent) } as const
    return yield* inSpan(run!, { common, ...reporter.listener }, steps)
  } finally {
    open?.end()
  }
}

/** Gives the answer of an earlier run, or keeps a new one before anybody hears that there is one. */
function* askAndKeep(
  parts: WrapperParts,
  open: OpenCall,
  steps: Steps<ModelResponse, ModelEvent>,
): Steps<ModelResponse, ModelEvent> {
  if (open.known) return yield* recall(parts, open.known.value as KeptAnswer)
  const response = yield* steps
  if (open.recorded) yield* wait(open.keep(keptAnswer(response)), 'the journal of a chat')
  return response
}

/** The request with the cache of the chat around, unless it has one of its own. */
function withCacheOf({ cache }: Reporter, request: WrapperRequest): WrapperRequest {
  return cache && request.cache === undefined && request.cacheSeed === undefined ? { ...request, cache } : request
}

/** An answer as a journal keeps it. */
interface KeptAnswer extends ConfigAnswer {
  readonly configId: number
}

const keptAnswer = ({ id, model, created, choices, usage, cost, configId, cached }: ModelResponse): KeptAnswer => ({
  answer: { id, model, created, choices, ...(usage && { usage }) },
  cost,
  configId,
  cached,
})

/** An answer of an earlier run: nobody is asked, and what it used counts. */
function* recall(parts: WrapperParts, { configId, ...got }: KeptAnswer): Steps<ModelResponse, ModelEvent> {
  const { slots } = parts.plan
  const { answer, cost, cached } = got
  const { model, usage } = answer
  const used = {
    cost: cost ?? 0,
    promptTokens: usage?.prompt_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
    totalTokens: usage?.total_tokens ?? 0,
  }
  const total: UsageSummary = { totalCost: used.cost, models: { [model]: used } }
  parts.memory.openLedger().restore(cached ? null : total, total)
  if ((yield* currentRun()).face === 'stream') yield* eventsOf(answer)
  return responseOf({ parts, slot: slots[configId] ?? slots[0]!, attempts: [] }, got)
}
