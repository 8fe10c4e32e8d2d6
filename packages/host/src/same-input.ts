/** Whether two inputs mean the same as JSON, whatever the order of keys. */
export const sameInput = (one: unknown, other: unknown): boolean => ordered(one) === ordered(other)

const ordered = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
