import type { ApprovalDecision } from '@x/interfaces'

/** The hint for a person while an approval is pending. */
export const DECISION_HINT =
  'y allows it, n denies it, other words deny it and say why, {…} allows it with other arguments'

/** Reads a decision that a person typed; null when it is none. */
export function readDecision(line: string): ApprovalDecision | null {
  const typed = line.trim()
  if (/^y(?:es)?$/iu.test(typed)) return { allow: true }
  if (/^no?$/iu.test(typed)) return { allow: false }
  if (!typed.startsWith('{')) return typed ? { allow: false, reason: typed } : null
  try {
    return { allow: true, arguments: JSON.parse(typed) as Record<string, unknown> }
  } catch {
    return null
  }
}
