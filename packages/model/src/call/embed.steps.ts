import type {
  CallInput,
  EmbedAnswer,
  EmbedRequest,
  EmbedResponse,
  ModelAnswer,
  ModelEvent,
  RunOptions,
  RunScope,
  StoredAnswer,
} from '@x/interfaces'
import { isThenable, type Steps, wait, XError } from '@x/kernel'
import { finite } from '@x/kernel/price'
import { costFor, usageOf } from './answer-fields.ts'
import { storeAnswer } from './answer.steps.ts'
import { addLedgerRow, restoreUsage } from './attempt.ts'
import { CallStore } from './call-store.ts'
import { callClient, clientOf, type ConfigCall, type CountedUsage } from './config-call.ts'
import { requireModel, unpricedText } from './create.steps.ts'
import { askSlots, runOperation } from './operation.steps.ts'
import { Reporter, sendWarning } from './reporter.steps.ts'
import { type Sending, sendUntilAnswered, type Warnings } from './sending.steps.ts'
import {
  checkVectors,
  isOfModel,
  plainAnswer,
  readStoredVector,
  sharesOf,
  storedVector,
  type TextVector,
} from './text-vector.ts'
import type { WrapperParts } from './wrapper-parts.ts'
import { providerNameOf } from '../config/slot.ts'
import { checkEmbedRequest, embedParamsOf, prepareEmbedRequest } from '../request/embed-request.ts'
import { SettingsReader } from '../request/settings.ts'
import { tokensIn } from '../usage/token-estimate.ts'

/** Returns vectors of texts by the first config that answers. In a run the journal keeps them. */
export function embed(
  parts: WrapperParts,
  request: EmbedRequest,
  options: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>,
): Steps<EmbedResponse, ModelEvent> {
  const reporter = new Reporter(parts, options)
  const steps = embedByConfigs(parts, request, reporter)
  const asks = (): CallInput => {
    const { input, ...rest } = request
    return { input, settings: new SettingsReader(parts.plan.slots).of(rest) }
  }
  return runOperation(reporter, 'embed', {
    asks,
    steps,
    recall: (known) => recallVectors(parts, known, reporter.scope),
  })
}

function* embedByConfigs(
  parts: WrapperParts,
  request: EmbedRequest,
  reporter: Reporter,
): Steps<EmbedResponse, ModelEvent> {
  const { slots, shared } = parts.plan
  const { texts, ...options } = checkEmbedRequest(parts, request, reporter.cache)
  refuseWithoutEmbeddings(parts)
  const agent = options.extra.agent ?? null
  const prepare = (slot: (typeof slots)[number]): ConfigCall['prepared'] => {
    const prepared = prepareEmbedRequest(slot, options, shared)
    requireModel(slot, prepared)
    return prepared
  }
  const response = yield* askSlots(parts, slots, { name: 'embed', agent, reporter, prepare }, (call) =>
    embedByConfig(call, texts),
  )
  // A config list is never empty.
  return response!
}

/** Refuses a list with a config that has no embeddings, before a request is sent: a failure would lead there. */
function refuseWithoutEmbeddings(parts: WrapperParts): void {
  const slot = parts.plan.slots.find((each) => !clientOf({ parts, slot: each }).embed)
  if (!slot) return
  const { index, client } = slot
  const name = providerNameOf(slot) ?? client.modelClientCls ?? 'its client'
  throw new XError(
    'invalid-config',
    `cannot embed texts: config ${index} (\`${client.model ?? 'a model'}\`) is of \`${name}\`, which has no embeddings; make an \`llmConfig\` of embedding models, as in \`llmConfig(openai('text-embedding-3-small'))\`, or leave it out by \`where\``,
    { details: { configId: index } },
  )
}

/** The vectors of texts, and what the requests for them came to. */
interface Collected {
  readonly vectors: Map<string, TextVector>
  readonly caches: ReadonlyMap<string, CallStore>
  tokens: number
  cost: number
  isUnpriced: boolean
}

/** Returns the vectors of one config: of its cache, and by as many requests as its provider needs. */
function* embedByConfig(call: ConfigCall, texts: readonly string[]): Steps<EmbedResponse, ModelEvent> {
  const caches = cachesOf(call, texts)
  const isLookedUp = (call.prepared.extra.cacheMode ?? 'use') === 'use'
  const known = isLookedUp ? yield* findVectors(caches) : new Map<string, TextVector>()
  const collected: Collected = { vectors: new Map(known), caches, tokens: 0, cost: 0, isUnpriced: false }
  const all = [...new Set(texts)]
  yield* fetchVectors(
    call,
    all.filter((text) => !known.has(text)),
    collected,
  )
  const stale = staleTexts(collected)
  for (const text of stale) known.delete(text)
  yield* fetchVectors(call, stale, collected)
  if (staleTexts(collected).length > 0) {
    const { model } = call.prepared.params
    throw new XError('model-failed', `\`${model}\` answered as several models, whose vectors cannot be compared`, {
      kind: 'server',
    })
  }
  yield* reportCaches(call, caches, [...known.values()])
  return yield* embedResponse(call, { texts, known, collected })
}

/** Fetches vectors by requests, one after another: a failure sends no further one. */
function* fetchVectors(call: ConfigCall, texts: readonly string[], collected: Collected): Steps<void, ModelEvent> {
  const { prepared, run } = call
  for (const batch of batchesOf(texts, clientOf(call).embedLimits)) {
    const warnings: Warnings = []
    const asked = { ...call, prepared: { ...prepared, params: { ...prepared.params, input: batch } } }
    const fresh = yield* sendUntilAnswered(asked, run, warnings, askForVectors)
    for (const [topic, text] of warnings) yield* sendWarning(call, topic, text)
    for (const [index, text] of batch.entries()) {
      const vector = fresh[index]!
      collected.vectors.delete(text)
      collected.vectors.set(text, vector)
      collected.tokens += vector.tokens
      collected.cost += vector.cost ?? 0
      collected.isUnpriced ||= vector.cost === null
      const cache = collected.caches.get(text)
      if (cache) yield* storeAnswer(cache, storedVector(vector))
    }
  }
}

/** Returns the texts whose vectors are of another model than the latest one: its name may have come to mean a newer one. */
function staleTexts({ vectors }: Collected): string[] {
  const latest = [...vectors.values()].at(-1)!
  return [...vectors].filter(([, vector]) => !isOfModel(vector, latest)).map(([text]) => text)
}

/** Makes the response, and warns of a missing price and of vectors that may not be comparable with earlier ones. */
function* embedResponse(
  call: ConfigCall,
  {
    texts,
    known,
    collected,
  }: {
    readonly texts: readonly string[]
    readonly known: ReadonlyMap<string, TextVector>
    readonly collected: Collected
  },
): Steps<EmbedResponse, ModelEvent> {
  const { parts, slot, prepared, attempts, sent } = call
  const { vectors, tokens, cost, isUnpriced } = collected
  const { model } = vectors.get(texts[0]!)!
  const [first] = attempts
  if (first && first.model !== prepared.params.model) {
    const text = `the vectors of \`${prepared.params.model}\` came in place of those of \`${first.model}\`, which failed: vectors of two models cannot be compared`
    yield* sendWarning(call, 'embedding', text)
  }
  if (isUnpriced && parts.memory.isNewUnpriced(model)) yield* sendWarning(call, 'unpriced', unpricedText(model))
  const unanswered = sent.unanswered?.summary
  return {
    embeddings: texts.map((text) => [...vectors.get(text)!.vector]),
    model,
    provider: providerNameOf(slot),
    configId: slot.index,
    usage: { promptTokens: tokens, totalTokens: tokens },
    cost,
    ...(isUnpriced && { unpriced: true }),
    cachedCount: texts.filter((text) => known.has(text)).length,
    attempts: [...attempts],
    ...(unanswered && { unanswered }),
  }
}

/** Splits texts into the lists of requests; the number of tokens is estimated. */
function batchesOf(
  texts: readonly string[],
  {
    texts: maxTexts = Infinity,
    tokens: maxTokens = Infinity,
  }: NonNullable<ReturnType<typeof clientOf>['embedLimits']> = {},
): string[][] {
  const batches: string[][] = []
  let tokens = 0
  for (const text of texts) {
    const size = tokensIn(text)
    const batch = batches.at(-1)
    if (!batch || batch.length >= maxTexts || tokens + size > maxTokens) {
      batches.push([text])
      tokens = size
    } else {
      batch.push(text)
      tokens += size
    }
  }
  return batches
}

/** Sends one request for vectors and settles it. */
function* askForVectors(call: ConfigCall, sending: Sending, warnings: Warnings): Steps<TextVector[], ModelEvent> {
  const { slot, prepared } = call
  const params = embedParamsOf(prepared.params)
  const what = `the vectors of ${params.model ?? `config ${slot.index}`}`
  const answer = yield* wait(callClient(call, 'embed', params, sending), what)
  const counted = countVectors(call, answer)
  sending.answered(counted)
  const cost = costFor(call, counted.answer, counted)
  addLedgerRow(call, counted.usage, { cost, cached: false, estimated: counted.estimated }, false)
  if (counted.estimated) {
    const text = `vectors of \`${answer.model}\` come without usage: tokens and cost are estimated from the texts`
    warnings.push(['usage', text])
  }
  checkVectors(answer, params)
  const { promptTokens } = counted.usage
  const shares = sharesOf(params.input)
  return answer.embeddings.map((vector, index) => ({
    vector: vector.map(Math.fround),
    model: answer.model,
    tokens: Math.round(promptTokens * shares[index + 1]!) - Math.round(promptTokens * shares[index]!),
    cost: cost === null ? null : cost * (shares[index + 1]! - shares[index]!),
  }))
}

/** Returns the usage of an answer; without a report of the provider, an estimate from the texts. */
function countVectors(call: ConfigCall, { model, usage }: EmbedAnswer): CountedUsage {
  const reported = usage?.prompt_tokens
  const estimated = !Number.isFinite(reported)
  const tokens = estimated ? tokensIn(call.prepared.params['input']) : finite(reported)
  const answer: ModelAnswer = { ...plainAnswer(model), usage: { ...usage, ...usageOf(tokens, 0) } }
  const counted = { model, promptTokens: tokens, completionTokens: 0, totalTokens: tokens, cost: 0 }
  return { answer, usage: counted, estimated }
}

/** Returns the cache of each text under its key; none without a cache. */
function cachesOf(call: ConfigCall, texts: readonly string[]): Map<string, CallStore> {
  const { prepared, parts, slot } = call
  const { params, extra, store } = prepared
  if (!store || extra.cacheMode === 'bypass') return new Map()
  const keyOf = (text: string): string =>
    parts.plan.shared.keys.keyOf({ ...params, embed: true, input: text }, slot.endpoint, extra.sample)
  const warnings: CallStore['warnings'] = []
  return new Map([...new Set(texts)].map((text) => [text, new CallStore(call, keyOf(text), warnings)]))
}

/** Looks up the vectors of texts, all at once. */
function* findVectors(caches: ReadonlyMap<string, CallStore>): Steps<Map<string, TextVector>, never> {
  const lookups = [...caches].map(([text, cache]) => [text, cache, cache.lookUp()] as const)
  const pending = lookups.find(([, , lookup]) => isThenable(lookup))
  const values = pending
    ? yield* wait(Promise.all(lookups.map(async ([, , lookup]) => await lookup)), `${pending[1].name}.get`)
    : lookups.map(([, , lookup]) => lookup as StoredAnswer | undefined)
  const found = new Map<string, TextVector>()
  for (const [index, [text, cache]] of lookups.entries()) {
    const hit = cache.checkHit(values[index])
    const vector = hit && readStoredVector(hit)
    if (vector) found.set(text, vector)
  }
  const [first] = found.values()
  // The name of a model may come to mean another one: vectors of two models are never given together.
  return [...found.values()].every((vector) => isOfModel(vector, first!)) ? found : new Map()
}

/** Adds the texts that a cache had to the ledger, as one row, and sends the warnings of the cache. */
function* reportCaches(
  call: ConfigCall,
  caches: ReadonlyMap<string, CallStore>,
  known: readonly TextVector[],
): Steps<void, never> {
  const [first] = known
  if (first) {
    const tokens = known.reduce((sum, each) => sum + each.tokens, 0)
    const isUnpriced = known.some(({ cost }) => cost === null)
    const cost = isUnpriced ? null : known.reduce((sum, each) => sum + each.cost!, 0)
    const usage = {
      model: first.model,
      promptTokens: tokens,
      completionTokens: 0,
      totalTokens: tokens,
      cost: cost ?? 0,
    }
    addLedgerRow(call, usage, { cost, cached: true, estimated: false }, false)
  }
  const [cache] = caches.values()
  for (const [topic, text] of cache?.warnings ?? []) yield* sendWarning(call, topic, text)
}

/** Returns the vectors of an earlier run from its journal, and counts their usage. */
function recallVectors(parts: WrapperParts, known: EmbedResponse, scope: RunScope | undefined): EmbedResponse {
  const { model, usage, cost, unpriced } = known
  const total = {
    totalCost: cost,
    models: { [model]: { cost, completionTokens: 0, ...usage } },
    ...(unpriced && { unpriced: [model] }),
  }
  restoreUsage(parts, scope, { actual: total, total })
  if (known.unanswered) restoreUsage(parts, scope, { actual: known.unanswered, total: known.unanswered })
  return known
}
