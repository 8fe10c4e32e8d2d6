import type { Draft } from './draft.ts'

/** Leaves the oldest messages out until the target is reached, but for those that stay. */
export function leaveOutOldest(draft: Draft): void {
  for (const { from } of draft.units) {
    if (draft.tokens <= draft.target) return
    if (!draft.messages[from]!.gone) draft.leaveOut(from)
  }
}
