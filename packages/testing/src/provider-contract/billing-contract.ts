import { isXError } from '@x/kernel'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { withAdapter } from './adapter-case.ts'
import { billedParams, runBillingRow, type BillingOutcome, type BillingRow } from './billing-call.ts'
import { billingFaults, type BillingFault } from './billing-faults.ts'
import { CANARY_KEY, type CompleteContract } from './contract.ts'

/**
 * Checks what is counted against what is billed. A fake provider bills every request that it has read, as one that goes on
 * working when its caller has gone. The client sends one request per call, and says whether it has left. With `model` of the
 * contract, budgets, limiters, ledger, summary and events tell the same of it, fault by fault, and hold their limits.
 */
export function billingContract(runner: ContractRunner, contract: CompleteContract): void {
  const { test, expect } = runner
  for (const streamed of [false, true]) {
    for (const fault of billingFaults(contract, streamed)) {
      const title = `billing, ${streamed ? 'streamed' : 'complete'}: ${fault.name}`
      if (fault.leaves === undefined) {
        test(`${title} is one request, and the client says whether it left`, async () => {
          const { requests, hasLeft } = await askClient(contract, fault, streamed)
          expect(requests).toBe(1)
          // A client that reports nothing counts as having sent its request.
          expect(hasLeft ?? true).toBe(fault.billedAs !== 'unsent')
        })
      }
      if (contract.model) checkAccount(runner, contract, { fault, streamed, title })
    }
  }
}

/** Calls the client once; returns its requests, and its last report of how far the request came. */
async function askClient(
  contract: CompleteContract,
  { response, timeout }: BillingFault,
  streamed: boolean,
): Promise<{ readonly requests: number; readonly hasLeft: boolean | undefined }> {
  let hasLeft: boolean | undefined
  const onSend = (leaves: boolean = true): boolean => {
    hasLeft = leaves
    return true
  }
  return await withAdapter(
    contract,
    () => response,
    async ({ client, params, requests }) => {
      try {
        if (streamed) for await (const _ of client.stream!(params, { onSend }));
        else await client.create(params, { onSend })
      } catch (error) {
        if (!isXError(error)) throw error
      }
      return { requests: requests.length, hasLeft }
    },
    { maxRetries: 2, ...(timeout !== undefined && { timeout }), ...limitsOf(contract) },
  )
}

const limitsOf = (contract: CompleteContract): { readonly max_tokens: number } => ({
  max_tokens: billedParams(contract).max_tokens!,
})

/** Checks a fault with both kinds of budgets. */
function checkAccount(
  { test, expect }: ContractRunner,
  contract: CompleteContract,
  { title, ...row }: Pick<BillingRow, 'fault' | 'streamed'> & { readonly title: string },
): void {
  for (const strict of [false, true]) {
    for (const maxRetries of [0, 2]) {
      const how = `${strict ? 'strict' : 'default'} budget, ${maxRetries} retries`
      test(`${title}: is counted as it is billed (${how})`, async () => {
        const outcome = await runBillingRow(contract, contract.model!, { ...row, strict, maxRetries })
        expect(faultsOf(outcome, { ...row, strict, maxRetries }).join('; ')).toBe('')
      })
    }
  }
  test(`${title}: no more requests than a strict budget allows`, async () => {
    const limited = { ...row, strict: true, maxRetries: 2, calls: 2 }
    const outcome = await runBillingRow(contract, contract.model!, limited)
    expect(faultsOf(outcome, limited).join('; ')).toBe('')
  })
}

/** Difference that sums may have by rounding. */
const ROUNDING_DOLLARS = 1e-9

/** Returns everything that is wrong with the account of a row. */
function faultsOf(outcome: BillingOutcome, { fault, strict, maxRetries, streamed, calls }: BillingRow): string[] {
  const { billed, requests, requestsPerCall, bytes, budget, limit, isRefused, permits } = outcome
  const { cost: said, calls: counted } = budget.spent
  const { billedAs } = fault
  const faults: string[] = []
  const check = (holds: boolean, text: string): void => void (holds || faults.push(text))
  // A budget of requests alone reserves estimates.
  const isExact = strict && calls === undefined
  const differsMost = (bytes / 1000) * (isExact ? 1 : 0.25)
  check(!strict || billed <= limit, `$${billed} are billed, above the limit of $${limit}`)
  check(!calls || requests <= calls, `${requests} requests were sent, and ${calls} are allowed`)
  check(requestsPerCall <= 1 + maxRetries || billedAs === 'unsent', `${requestsPerCall} requests for one call`)
  const isRepeated = billedAs === 'unsent' && fault.leaves === undefined
  // A request that never left is free once in a call.
  check(!isRepeated || requestsPerCall === 2 + maxRetries, `${requestsPerCall} tries of a request that does not leave`)
  check(counted === requests, `the budget counts ${counted} requests of ${requests}`)
  if (billedAs === 'unknown') {
    check(said >= billed - (isExact ? 0 : differsMost), `$${billed} are billed, and the budget says $${said}`)
    check(said <= billed + differsMost, `$${billed} are billed, and the budget says as much as $${said}`)
    check(
      outcome.estimatedRows === outcome.rows,
      `${outcome.rows - outcome.estimatedRows} rows are not marked as estimated`,
    )
    check(outcome.rows === requests, `the ledger has ${outcome.rows} rows for ${requests} requests`)
    check(isRefused || counted < (calls ?? 1), 'a budget that is used up refuses no call')
    const isLate = fault.timeout !== undefined && !streamed
    check(!isLate || requestsPerCall <= 1, 'a request that came too late is sent again')
  } else {
    check(Math.abs(said - billed) <= ROUNDING_DOLLARS, `$${billed} are billed, and the budget says $${said}`)
    check(outcome.estimatedRows === 0, 'rows are marked as estimated')
  }
  for (const name of ['ledger', 'summary', 'events'] as const) {
    const { [name]: own } = outcome
    check(Math.abs(own - said) <= ROUNDING_DOLLARS, `by the ${name} it costs $${own}, by the budget $${said}`)
  }
  check(permits.given === permits.ended, `${permits.given} permits are given, and ${permits.ended} ended`)
  check(permits.requests === requests, `the limiter counts ${permits.requests} requests of ${requests}`)
  faults.push(...errorFaults(outcome))
  return faults
}

/** Returns what is wrong with the errors and warnings of a row. */
function errorFaults({ errors, warnings }: BillingOutcome): string[] {
  const raw = errors.filter(
    (error) => !isXError(error) || (error.kind === undefined && !CODES_WITHOUT_KIND.has(error.code)),
  )
  const texts = [...errors.flatMap((error) => textsOf(error)), ...warnings]
  const leaks = texts.filter((text) => text.includes(CANARY_KEY))
  return [
    ...raw.map((error) => `an error without code and kind: ${String(error)}`),
    ...leaks.map(() => 'a text shows the key'),
  ]
}

/** Codes of errors that are no failures of a provider. */
const CODES_WITHOUT_KIND: ReadonlySet<string> = new Set(['aborted', 'budget-exceeded'])

/** Collects the texts of an error, its causes and hidden fields. */
function textsOf(error: unknown, depth: number = 0): string[] {
  if (typeof error === 'string') return [error]
  if (typeof error !== 'object' || error === null || depth > 6) return []
  return Object.getOwnPropertyNames(error).flatMap((name) => textsOf(Reflect.get(error, name), depth + 1))
}
