import type { ApprovalDecision, JournalEntry, PendingApproval } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind } from '@x/kernel/options'
import { checkChecksum, refuseUnsealed } from './checked-entries.ts'
import { sealEntry } from './entry-seal.ts'
import { escapeTexts, unescapeTexts } from './entry-text.ts'

/**
 * The questions of a journal that wait for a decision, in the order in which they were asked. A question or decision that
 * is not as it was written is refused with `invalid-state` and its place.
 */
export function pendingIn(entries: Iterable<JournalEntry>): PendingApproval[] {
  const questions: JournalEntry[] = []
  const decided = new Set<string>()
  const all = [...entries]
  refuseUnsealed(all)
  for (const [index, entry] of all.entries()) {
    if (entry.kind === 'question' || entry.kind === 'decision') checkChecksum(entry, index)
    if (entry.kind === 'question') questions.push(entry)
    if (entry.kind === 'decision') decided.add(entry.place)
  }
  return questions
    .filter(({ place }) => !decided.has(place))
    .map(({ value }) => unescapeTexts(value) as PendingApproval)
}

/**
 * The entry that decides on something that waits: a chat started again with it does it or tells the model why not. A
 * decision without `allow`, or with arguments that are not an object, is refused with `invalid-argument`.
 */
export function decisionEntry(pending: PendingApproval, decision: ApprovalDecision): JournalEntry {
  const value = escapeTexts(checkedDecision(pending, decision))
  return sealEntry({ place: pending.id, kind: 'decision', value }, undefined)
}

const DECISION = { allow: kind.flag, arguments: kind.any, reason: kind.text }

function checkedDecision({ id, action }: PendingApproval, decision: ApprovalDecision): ApprovalDecision {
  const { allow } = (decision ?? {}) as { allow?: unknown }
  if (typeof allow !== 'boolean') {
    throw new XError(
      'invalid-argument',
      `the decision on \`${id}\` has no \`allow\`: give { allow: true } or { allow: false, reason }`,
    )
  }
  checkOptions(decision, DECISION, `decide on \`${id}\``)
  if (!decision.allow) {
    const { reason } = decision as { reason?: unknown }
    return { allow: false, ...(typeof reason === 'string' && { reason }) }
  }
  const { arguments: args } = decision
  if (args === undefined) return { allow: true }
  if (action.type === 'toolCall' && typeof args === 'object' && args !== null && !Array.isArray(args)) {
    return { allow: true, arguments: args }
  }
  const problem = action.type === 'code' ? 'code takes no `arguments`' : '`arguments` must be an object'
  throw new XError('invalid-argument', `the decision on \`${id}\` cannot be kept: ${problem}`)
}
