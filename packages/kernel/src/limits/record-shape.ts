import { XError } from '../x-error.ts'

/** Version of the records of limits and budgets, which have a `version` only if it is another. */
const RECORD_VERSION = 1

/** Refuses a record that a newer package wrote: a worker that began it anew, or wrote its own beside, would miscount for all. */
export function refuseUnknownVersion(value: unknown, name: string): void {
  const { version = RECORD_VERSION } = (value ?? {}) as { readonly version?: unknown }
  if (version === RECORD_VERSION) return
  throw new XError(
    'unknown-state-version',
    `the record of ${name} in the store has version ${JSON.stringify(version)}, and this package reads version ${RECORD_VERSION}; update the packages of this worker`,
    { details: { version, known: [RECORD_VERSION] } },
  )
}

/** True for an object or a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** True for a number, `NaN` included. */
export const isNumber = (value: unknown): value is number => typeof value === 'number'

/** True for a list of which every item fits. */
export const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem)
