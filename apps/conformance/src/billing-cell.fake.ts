import { createBudget, isXError, ModelWrapper } from '@x/model'
import type { Bill, BillingServer } from './billing-server.fake.ts'
import { WIRE_FAULTS, type WireFault } from './billing-table.fake.ts'
import { type BilledWire, BILLED_WIRES } from './billing-wires.fake.ts'

/** Key of the calls, which no text may show. */
const CANARY_KEY = 'sk-canary-0123456789abcdef'

const messages = [{ role: 'user' as const, content: 'What is the weather?' }]

/** Calls of a cell; its budget does not hold all of them if each is billed. */
const CALL_COUNT = 6

/** Calls of a cell whose answers are slow. */
const SLOW_CALL_COUNT = 2

const isSlow = (fault: string): boolean =>
  WIRE_FAULTS[fault]!.succeeds === true && WIRE_FAULTS[fault]!.timeout !== undefined

const COST_LIMIT_DOLLARS = 3.5

/** Price of 1,000 tokens of input or output. */
const PRICE_DOLLARS = 1

/** Seconds that a call may take where its fault is another. */
const LONG_TIMEOUT_S = 20

/** A cell of the matrix. */
export interface Cell {
  readonly wire: BilledWire
  readonly fault: string
  readonly face: 'complete' | 'streamed' | 'blocking'
  readonly strict: boolean
  readonly maxRetries: number
  /** True if the connection was used before. */
  readonly kept: boolean
}

const nameOf = ({ wire, fault, face, strict, maxRetries, kept }: Cell): string =>
  `${wire.name}, ${face}, ${strict ? 'strict' : 'default'}, ${maxRetries} retries, ${kept ? 'kept' : 'fresh'}: ${fault}`

/** Returns all cells of a face that its faults have. */
export function cellsOf(face: Cell['face'], wires: readonly BilledWire[] = BILLED_WIRES): readonly Cell[] {
  const isOf = ({ only, leaves }: WireFault): boolean =>
    face === 'streamed' ? only !== 'complete' : only !== 'streamed' && (face === 'complete' || !leaves)
  const faults = Object.keys(WIRE_FAULTS).filter((name) => isOf(WIRE_FAULTS[name]!))
  const choices = [false, true].flatMap((strict) =>
    [0, 2].flatMap((maxRetries) => [false, true].map((kept) => ({ strict, maxRetries, kept }))),
  )
  const cells = wires.flatMap((wire) =>
    faults.flatMap((fault) => choices.map((each) => ({ wire, fault, face, ...each }))),
  )
  // A blocking call waits for real before it sends again, unless the provider says how long.
  return cells.filter(({ maxRetries, fault }) => face !== 'blocking' || maxRetries === 0 || isSaidSoon(fault))
}

/**
 * Returns one half of cells: at each wire every fault meets every two of its settings together (without retries, as in most
 * blocking calls, each of them alone), and at the wires together all of them.
 */
export function halfOf(cells: readonly Cell[]): readonly Cell[] {
  const names = Object.keys(WIRE_FAULTS)
  return cells.filter(({ wire, fault, strict, maxRetries, kept }) => {
    const settings = Number(strict) + Number(maxRetries > 0) + Number(kept)
    return (settings + names.indexOf(fault) + BILLED_WIRES.indexOf(wire)) % 2 === 0
  })
}

/** True if a provider asks with a fault to be asked again soon. */
const isSaidSoon = (fault: string): boolean => /^\d{3} with/u.test(fault)

/** Runs a cell; returns everything that is wrong in it, with its name. */
async function faultsOfCell(server: BillingServer, cell: Cell): Promise<string[]> {
  const { wire, kept, strict, fault } = cell
  const port = await server.open({ wire: wire.name, fault, healthyCount: kept ? 1 : 0 })
  const budget = createBudget({ cost: COST_LIMIT_DOLLARS, strict, minTokens: 100 })
  const warnings: string[] = []
  const { timeout = LONG_TIMEOUT_S } = WIRE_FAULTS[fault]!
  const most = isSlow(fault) ? SLOW_CALL_COUNT : CALL_COUNT
  const clock = { sleep: async () => {}, random: () => 0 }
  const { entry } = wire
  const baseUrl = `http://127.0.0.1:${port}${entry.apiType === undefined ? '/v1' : ''}`
  const model = new ModelWrapper({
    providers: [wire.create(cell.face === 'blocking' ? {} : { clock })],
    configList: [
      {
        ...entry,
        baseUrl,
        timeout,
        apiKey: CANARY_KEY,
        maxRetries: cell.maxRetries,
        price: [PRICE_DOLLARS, PRICE_DOLLARS],
        max_tokens: 1000,
      },
    ],
    cacheSeed: null,
    budget,
    io: { send: (event) => void (event.type === 'warning' && warnings.push(event.text)), input: () => '' },
  })
  const errors: unknown[] = []
  let bill: Bill
  let calls = 0
  try {
    for (; calls < most && !errors.some(isBudgetRefusal); calls++) {
      try {
        await oneCall(server, model, cell, { port, isHealthy: kept && calls === 0 })
      } catch (error) {
        errors.push(error)
      }
    }
  } finally {
    bill = await server.close(port, budget.spent.calls)
  }
  return checkCell(cell, { bill, calls, errors, warnings, model, spent: budget.spent }).map(
    (text) => `${nameOf(cell)}: ${text}`,
  )
}

/** The facts of an error of the framework; undefined for any other. */
const factsOf = (error: unknown): { readonly code: string; readonly kind?: string | undefined } | undefined =>
  isXError(error) ? error : undefined

const isBudgetRefusal = (error: unknown): boolean => factsOf(error)?.code === 'budget-exceeded'

async function oneCall(
  server: BillingServer,
  model: ModelWrapper,
  { face, fault }: Cell,
  { port, isHealthy }: { readonly port: number; readonly isHealthy: boolean },
): Promise<void> {
  const { leaves, holdsMs } = isHealthy ? {} : (WIRE_FAULTS[fault] as Pick<WireFault, 'leaves' | 'holdsMs'>)
  // The first call of a connection takes long on a busy machine.
  const request = { messages, ...(isHealthy && { timeout: LONG_TIMEOUT_S }) }
  if (face === 'blocking') return void model.createSync(request)
  const controller = new AbortController()
  const { signal } = controller
  const options = leaves && leaves !== 'as a reader' ? { signal } : {}
  const running =
    face === 'complete'
      ? model.create(request, options)
      : readStream(model.createStream(request, options), { leaves, holdsMs, leave: () => controller.abort() })
  if (leaves === 'at the request') {
    const settled = running.then(
      () => {},
      () => {},
    )
    const { length: before } = model.ledger
    await Promise.race([server.read(port, before + 1), settled])
    controller.abort()
  }
  await running
}

async function readStream(
  stream: ReturnType<ModelWrapper['createStream']>,
  { leaves, holdsMs, leave }: Pick<WireFault, 'leaves' | 'holdsMs'> & { readonly leave: () => void },
): Promise<void> {
  let isHeld = false
  for await (const event of stream) {
    if (!event.type.endsWith('Delta')) continue
    if (leaves === 'as a reader') return
    if (leaves === 'at the first content') leave()
    if (holdsMs !== undefined && !isHeld) await new Promise((resolve) => setTimeout(resolve, holdsMs))
    isHeld = true
  }
}

/** Difference that sums may have by rounding. */
const ROUNDING_DOLLARS = 1e-9

/** Bytes of the longest request. */
const MAX_REQUEST_BYTES = 1000

function checkCell(
  { fault, strict, maxRetries, face }: Cell,
  outcome: {
    readonly bill: Bill
    readonly calls: number
    readonly errors: readonly unknown[]
    readonly warnings: readonly string[]
    readonly model: ModelWrapper
    readonly spent: { readonly cost: number; readonly calls: number }
  },
): string[] {
  const { bill, calls, errors, warnings, model, spent } = outcome
  const faults: string[] = []
  const check = (holds: boolean, text: string): void => void (holds || faults.push(text))
  const billed = (bill.tokens / 1000) * PRICE_DOLLARS
  const { billedAs, succeeds, timeout } = WIRE_FAULTS[fault]!
  const said = spent.cost
  // Input is estimated at four characters a token, and reserved at one byte.
  const differsMost = (bill.requests * MAX_REQUEST_BYTES * PRICE_DOLLARS) / 1000 / (strict ? 1 : 4)
  check(!strict || billed <= COST_LIMIT_DOLLARS, `$${billed} are billed, above the limit of $${COST_LIMIT_DOLLARS}`)
  check(spent.calls === bill.requests, `the budget counts ${spent.calls} requests of ${bill.requests}`)
  if (bill.unknown > 0) {
    check(
      said >= billed - (strict ? ROUNDING_DOLLARS : differsMost),
      `$${billed} are billed, and the budget says $${said}`,
    )
    check(said <= billed + differsMost, `$${billed} are billed, and the budget says as much as $${said}`)
  } else check(Math.abs(said - billed) <= ROUNDING_DOLLARS, `$${billed} are billed, and the budget says $${said}`)
  const estimated = model.ledger.filter((row) => row.estimated).length
  check(estimated === bill.unknown, `${estimated} rows are estimated, and ${bill.unknown} requests are unknown`)
  const summary = model.actualUsageSummary?.totalCost ?? 0
  const ledger = model.ledger.reduce((sum, { usage }) => sum + (usage.cost ?? 0), 0)
  check(Math.abs(ledger - said) <= ROUNDING_DOLLARS, `the ledger says $${ledger}, and the budget $${said}`)
  check(Math.abs(summary - said) <= ROUNDING_DOLLARS, `the summary says $${summary}, and the budget $${said}`)
  const isRefused = errors.some(isBudgetRefusal)
  check(isRefused || billedAs === 'refused' || isSlow(fault), 'a budget that is used up refuses no call')
  if (typeof billedAs !== 'function' && !succeeds) {
    const most = (calls - (isRefused ? 1 : 0)) * (timeout !== undefined && face !== 'streamed' ? 1 : 1 + maxRetries)
    check(bill.requests <= most, `${bill.requests} requests for ${calls} calls`)
  }
  check(!succeeds || errors.every(isBudgetRefusal), `a call fails: ${String(errors[0])}`)
  for (const error of errors) {
    const { code = '', kind } = factsOf(error) ?? {}
    const isTyped = kind !== undefined || CODES_WITHOUT_KIND.has(code)
    check(isTyped, `an error without code and kind: ${String(error)}`)
  }
  const texts = [...errors.flatMap((error) => textsOf(error)), ...warnings]
  check(!texts.some((text) => text.includes(CANARY_KEY)), 'a text shows the key')
  return faults
}

/** Codes of errors that are no failures of a provider. */
const CODES_WITHOUT_KIND: ReadonlySet<string> = new Set(['aborted', 'budget-exceeded'])

/** Collects the texts of an error, its causes and hidden fields. */
function textsOf(error: unknown, depth: number = 0): string[] {
  if (typeof error === 'string') return [error]
  if (typeof error !== 'object' || error === null || depth > 6) return []
  return Object.getOwnPropertyNames(error).flatMap((name) => textsOf(Reflect.get(error, name), depth + 1))
}

/** Cells under way at once. */
const CELLS_AT_ONCE = 12

/** Runs cells; returns everything that is wrong in them. Blocking ones run one after another. */
export async function faultsOfCells(server: BillingServer, cells: readonly Cell[]): Promise<string[]> {
  const faults: string[] = []
  const left = [...cells]
  const work = async (): Promise<void> => {
    for (let cell = left.shift(); cell; cell = left.shift()) faults.push(...(await faultsOfCell(server, cell)))
  }
  await Promise.all(Array.from({ length: CELLS_AT_ONCE }, work))
  return faults
}
