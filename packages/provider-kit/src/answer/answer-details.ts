import type { AnswerDetails } from '@x/interfaces'

/** Parts of a choice beside its message; reasoning is collected by itself. */
export type ChoiceDetails = Omit<AnswerDetails, 'reasoning'>

/** Details in the making: lists that grow, objects that are filled. */
type OpenDetails = { -readonly [K in keyof ChoiceDetails]: ChoiceDetails[K] }

/** Adds details to those of a choice: items of lists come behind the others, fields of objects are set. */
export function addDetails(open: OpenDetails, more: ChoiceDetails): void {
  const target = open as Record<string, unknown>
  for (const [key, value] of Object.entries(more) as [string, object | undefined][]) {
    if (value === undefined) continue
    const before = target[key]
    if (!Array.isArray(value)) target[key] = { ...(before as object | undefined), ...value }
    else if (value.length > 0) {
      const list = (target[key] ??= []) as unknown[]
      // A list of probabilities may be too long for the arguments of one call.
      for (const item of value) list.push(item)
    }
  }
}
