import type { Budget, Limiter, Model, ModelClient, ModelParams, Provider } from '@x/interfaces'
import { CANARY_KEY, type BillingModel, type CompleteContract } from './contract.ts'
import { CONTRACT_HOST, withFetch } from './adapter-case.ts'
import { billedRecording, type BillingFault } from './billing-faults.ts'
import { fakeFetch, type FakeRequest } from './fake-fetch.ts'

/** Most output tokens of a request: what a provider bills for an answer that nobody has seen. */
const MAX_OUTPUT_TOKENS = 1000

/** Price of 1,000 tokens of input or output. */
const PRICE_DOLLARS = 1

/** Calls of a row, of which a budget of `COST_LIMIT_DOLLARS` does not hold all if they are billed as if they were answered. */
const CALL_COUNT = 6

const COST_LIMIT_DOLLARS = 3.5

/** One row of the table: a fault, a face and a budget. */
export interface BillingRow {
  readonly fault: BillingFault
  readonly streamed: boolean
  readonly strict: boolean
  readonly maxRetries: number
  /** Limit of requests in place of dollars. */
  readonly calls?: number
}

/** The bill of a row beside what everybody says of it. */
export interface BillingOutcome {
  readonly limit: number
  /** US dollars that the provider bills. */
  readonly billed: number
  /** Requests that the provider has read. */
  readonly requests: number
  /** Most requests of one call. */
  readonly requestsPerCall: number
  /** Bytes of the requests. */
  readonly bytes: number
  readonly budget: Budget
  /** US dollars by the ledger, the summary, and the events of the attempts. */
  readonly ledger: number
  readonly summary: number
  readonly events: number
  readonly estimatedRows: number
  readonly rows: number
  readonly permits: { readonly given: number; readonly ended: number; readonly requests: number }
  readonly errors: readonly unknown[]
  readonly warnings: readonly string[]
  /** True if the budget has refused a call. */
  readonly isRefused: boolean
}

/** Returns the parameters of the requests of the suite. */
export const billedParams = ({ params }: CompleteContract): ModelParams => ({
  ...params,
  messages: [...(params?.messages ?? [{ role: 'user', content: 'What is the weather?' }])],
  max_tokens: MAX_OUTPUT_TOKENS,
})

/** Returns what a provider bills for a request. */
function billOf(contract: CompleteContract, { billedAs }: BillingFault, { body }: FakeRequest): number {
  if (billedAs === 'unsent' || billedAs === 'refused') return 0
  const { usage } = billedRecording(contract).says
  const output = MAX_OUTPUT_TOKENS
  const tokens =
    billedAs === 'answered' && usage ? usage.prompt + usage.completion : Math.ceil(body.length / 4) + output
  return (tokens / 1000) * PRICE_DOLLARS
}

/** Calls a provider with a fault until the budget refuses, and adds up what it bills and what everybody says of it. */
export async function runBillingRow(
  contract: CompleteContract,
  { ModelWrapper, createBudget }: BillingModel,
  { fault, streamed, strict, maxRetries, calls }: BillingRow,
): Promise<BillingOutcome> {
  const { requests, fetch } = fakeFetch(() => fault.response)
  const budget = createBudget({
    ...(calls ? { calls } : { cost: COST_LIMIT_DOLLARS }),
    strict,
    minTokens: MAX_OUTPUT_TOKENS,
  })
  const warnings: string[] = []
  const permits = { given: 0, ended: 0, requests: 0 }
  const model = new ModelWrapper({
    providers: [withoutWaits(contract.provider)],
    configList: [
      {
        ...{
          apiKey: CANARY_KEY,
          baseUrl: `http://${CONTRACT_HOST}`,
          price: [PRICE_DOLLARS, PRICE_DOLLARS],
          maxRetries,
        },
        ...{ apiType: contract.provider.apiTypes[0], timeout: fault.timeout, limiter: countingLimiter(permits) },
        ...contract.config,
        ...(!contract.globalFetch && { fetch }),
      },
    ],
    cacheSeed: null,
    budget,
    io: { send: (event) => void (event.type === 'warning' && warnings.push(event.text)), input: () => '' },
  })
  const errors: unknown[] = []
  let events = 0
  let requestsPerCall = 0
  await withFetch(contract.globalFetch ?? false, fetch, async () => {
    for (let call = 0; call < CALL_COUNT && !errors.some(isBudgetRefusal); call++) {
      const read = requests.length
      const { error, cost } = await oneCall(model, contract, {
        ...{ fault, streamed },
        requested: () => requests.length > read,
      })
      if (error !== undefined) errors.push(error)
      events += cost
      requestsPerCall = Math.max(requestsPerCall, requests.length - read)
    }
  })
  const isRead = fault.billedAs !== 'unsent'
  return {
    limit: calls ? Infinity : COST_LIMIT_DOLLARS,
    billed: requests.reduce((sum, request) => sum + billOf(contract, fault, request), 0),
    requests: isRead ? requests.length : 0,
    ...{ requestsPerCall, budget, permits, errors, warnings, events },
    bytes: requests.reduce((sum, { body }) => sum + body.length, 0),
    ledger: model.ledger.reduce((sum, { usage }) => sum + (usage.cost ?? 0), 0),
    summary: model.actualUsageSummary?.totalCost ?? 0,
    estimatedRows: model.ledger.filter(({ estimated }) => estimated).length,
    rows: model.ledger.length,
    isRefused: errors.some(isBudgetRefusal),
  }
}

const isBudgetRefusal = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code === 'budget-exceeded'

/** Makes one call; returns its error, and its cost by the events of its attempts. */
async function oneCall(
  model: Model,
  contract: CompleteContract,
  {
    fault,
    streamed,
    requested,
  }: { readonly fault: BillingFault; readonly streamed: boolean; readonly requested: () => boolean },
): Promise<{ readonly error: unknown; readonly cost: number }> {
  const controller = new AbortController()
  let cost = 0
  const emit = (event: object): void => {
    const { type, cost: own } = event as { readonly type?: string; readonly cost?: number | null }
    if (type === 'modelAttemptEnd') cost += own ?? 0
  }
  const options = { emit, ...(fault.by === 'signal' && { signal: controller.signal }) }
  if (fault.leaves === 'before') controller.abort()
  const params = billedParams(contract)
  try {
    const running = streamed
      ? readStream(model.createStream(params, options), fault, controller)
      : model.create(params, options)
    const state = { isSettled: false }
    const settled = running.then(
      () => undefined,
      (error: unknown) => error,
    )
    void settled.then(() => (state.isSettled = true))
    if (fault.leaves === 'at the request') {
      while (!requested() && !state.isSettled) await new Promise((resolve) => setTimeout(resolve))
      controller.abort()
    }
    return { error: await settled, cost }
  } catch (error) {
    return { error, cost }
  }
}

async function readStream(
  stream: ReturnType<Model['createStream']>,
  { leaves, by }: BillingFault,
  controller: AbortController,
): Promise<void> {
  for await (const event of stream) {
    if (leaves !== 'at the first content' || !event.type.endsWith('Delta')) continue
    if (by === 'reader') return
    controller.abort()
  }
}

/** Makes a limiter without limits that counts its permits. */
const countingLimiter = (permits: { given: number; ended: number; requests: number }): Limiter => ({
  acquire: () => {
    permits.given++
    return {
      end: ({ requests = 1 } = {}) => {
        permits.ended++
        permits.requests += requests
      },
    }
  },
})

/** Returns a provider whose clients do not wait before they are asked again. */
function withoutWaits(provider: Provider): Provider {
  const clock = { sleep: async () => {}, random: () => 0 }
  return {
    ...provider,
    createClient: (entry) => {
      const client = provider.createClient(entry)
      return new Proxy(client, {
        get: (target, key: keyof ModelClient | 'clock') => {
          if (key === 'clock') return clock
          const value: unknown = Reflect.get(target, key, target)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
    },
  }
}
