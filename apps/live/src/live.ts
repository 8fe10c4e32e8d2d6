import type { Budget } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { createBudget } from '@x/model'
import { MAX_ANSWER_TOKENS, modelsOf, RUNS, VENDOR_SETTINGS } from './capabilities.ts'
import { CAPABILITIES, hasCapability, VENDORS, type CapabilityName, type VendorName } from './evidence.ts'
import { createRecorder, withoutAccounts, type Recording } from './recording.ts'

/** Options of a run against vendors. */
export interface LiveOptions {
  /** Most that the whole run may cost, in US dollars. */
  readonly budget: number
  /** Vendors to ask; default all. */
  readonly vendors?: readonly VendorName[] | undefined
  /** The environment with the keys. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Other models than the cheap ones of the table, by vendor. */
  readonly models?: Readonly<Partial<Record<VendorName, string>>> | undefined
  /** Other addresses than those of the vendors: a run against them proves nothing about the vendors. */
  readonly baseUrls?: Readonly<Partial<Record<VendorName, string>>> | undefined
  /** Day of the run in UTC, as `2026-01-31`. */
  readonly day: string
  /** Receives each row as soon as it is known. */
  readonly onRow?: ((row: LiveRow) => void) | undefined
}

/** The outcome of one capability at one vendor. */
export interface LiveRow {
  readonly vendor: VendorName
  readonly capability: CapabilityName
  readonly model: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped; empty when it passed. */
  readonly reason: string
  readonly requests: number
  /** Input and output together. */
  readonly tokens: number
  /** US dollars. */
  readonly cost: number
}

/** A passed run with what is needed to replay it. */
export interface LiveRecording {
  readonly recording: Recording
  readonly identifiers: ReadonlySet<string>
}

/** The outcome of a run. */
export interface LiveReport {
  /** Vendors that were not asked, with the variable that would have their key. */
  readonly withoutKey: readonly { readonly vendor: VendorName; readonly environmentKey: string }[]
  readonly rows: readonly LiveRow[]
  readonly recordings: readonly LiveRecording[]
  /** US dollars of all requests; never more than the budget. */
  readonly spent: number
}

/**
 * Tries every capability of every vendor with a key, cheap ones first at all vendors, one after the other. It stops before the
 * budget would be exceeded. A model without a price is not asked, and a vendor that refuses its key is not asked again.
 */
export async function runLive(options: LiveOptions): Promise<LiveReport> {
  const limit = refusingBudget(options.budget)
  const wanted = (options.vendors ?? (Object.keys(VENDORS) as VendorName[])).map((vendor) => ({
    vendor,
    environmentKey: VENDOR_SETTINGS[vendor].environmentKey,
  }))
  const withoutKey = wanted.filter(({ environmentKey }) => !options.env[environmentKey])
  const asked = wanted.filter((each) => !withoutKey.includes(each)).map(({ vendor }) => vendor)
  const closed = new Map<VendorName, string>()
  const rows: LiveRow[] = []
  const recordings: LiveRecording[] = []
  for (const capability of CAPABILITIES) {
    for (const vendor of asked.filter((each) => hasCapability(each, capability))) {
      const reason = closed.get(vendor) ?? (limit.isUsedUp() ? 'the budget is used up' : undefined)
      const tried = reason === undefined ? await tryOnce(vendor, capability, options, limit) : skipped(reason)
      if (tried.closes) closed.set(vendor, tried.closes)
      const row = { vendor, capability, model: modelFor(vendor, capability, options), ...tried.row }
      rows.push(row)
      options.onRow?.(row)
      if (tried.recorded) {
        const { identifiers, ...recorded } = tried.recorded
        recordings.push({
          recording: { vendor, capability, model: row.model, day: options.day, ...recorded },
          identifiers,
        })
      }
    }
  }
  return { withoutKey, rows, recordings, spent: limit.budget.spent.cost }
}

/** The outcome of trying one capability. */
interface Tried {
  readonly row: Omit<LiveRow, 'vendor' | 'capability' | 'model'>
  /** Why the vendor is not asked any more. */
  readonly closes?: string | undefined
  readonly recorded?: (Pick<Recording, 'exchanges' | 'result'> & Pick<LiveRecording, 'identifiers'>) | undefined
}

const skipped = (reason: string): Tried => ({ row: { outcome: 'skipped', reason, requests: 0, tokens: 0, cost: 0 } })

async function tryOnce(
  vendor: VendorName,
  capability: CapabilityName,
  options: LiveOptions,
  limit: RefusingBudget,
): Promise<Tried> {
  const { environmentKey, embeddingModel } = VENDOR_SETTINGS[vendor]
  const recorder = createRecorder()
  const before = limit.budget.spent
  const llm = modelsOf(vendor, modelFor(vendor, capability, options), {
    apiKey: options.env[environmentKey],
    budget: limit.budget,
    // A blocking call is sent by another thread, to which a function cannot go.
    ...(capability !== 'blocking' && { fetch: recorder.fetch }),
    ...(options.baseUrls?.[vendor] !== undefined && { baseUrl: options.baseUrls[vendor] }),
  })
  const used = (): Pick<LiveRow, 'requests' | 'tokens' | 'cost'> => {
    const { calls, tokens, cost } = limit.budget.spent
    return { requests: calls - before.calls, tokens: tokens - before.tokens, cost: cost - before.cost }
  }
  try {
    const result = await RUNS[capability](llm, embeddingModel)
    const exchanges = recorder.taken()
    return {
      row: { outcome: 'passed', reason: '', ...used() },
      ...(exchanges && exchanges.length > 0 && { recorded: { exchanges, result, identifiers: recorder.identifiers } }),
    }
  } catch (error) {
    const reason = shortReason((error as Error).message)
    const stopped = { outcome: 'skipped', reason: 'stopped: the budget is used up' } as const
    const isRefused = isXError(error) && error.kind === 'auth'
    return {
      row: { ...(limit.isUsedUp() ? stopped : { outcome: 'failed', reason }), ...used() },
      closes: isRefused ? `${environmentKey} was refused` : undefined,
    }
  }
}

/** Most characters of a reason in the table and in the file of trials. */
const MAX_REASON_LENGTH = 200

/** The first line of an error, without what names an account. */
const shortReason = (message: string): string => withoutAccounts(message.split('\n', 1)[0]!).slice(0, MAX_REASON_LENGTH)

/** The model that is asked for a capability. */
function modelFor(vendor: VendorName, capability: CapabilityName, { models }: LiveOptions): string {
  const { model, embeddingModel } = VENDOR_SETTINGS[vendor]
  return capability === 'embeddings' ? embeddingModel! : (models?.[vendor] ?? model)
}

/** A strict budget that remembers that it has refused a request. */
interface RefusingBudget {
  readonly budget: Budget
  isUsedUp(): boolean
}

function refusingBudget(cost: number): RefusingBudget {
  // An answer that would be shortened is refused: its recording could not be replayed.
  const strict = createBudget({
    cost,
    strict: true,
    minTokens: MAX_ANSWER_TOKENS,
    whenFull: 'refuse',
    name: '`--budget`',
  })
  let hasRefused = false
  const refused = (error: unknown): never => {
    hasRefused ||= isXError(error, 'budget-exceeded')
    throw error
  }
  return {
    isUsedUp: () => hasRefused,
    budget: {
      get spent() {
        return strict.spent
      },
      reserve(estimate, reserveOptions) {
        if (reserveOptions?.call?.estimate(0, true).cost === Infinity)
          throw new XError(
            'invalid-config',
            'it has no price in the catalogue: name another model, or add its price first',
          )
        try {
          const reserving = strict.reserve(estimate, reserveOptions)
          return reserving instanceof Promise ? reserving.catch(refused) : reserving
        } catch (error) {
          return refused(error)
        }
      },
    },
  }
}
