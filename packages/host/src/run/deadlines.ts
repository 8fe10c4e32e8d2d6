import { decisionEntry, pendingIn } from '@x/agent'
import type { ApprovalDecision, JournalEntry, MaybePromise, PendingApproval } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkpointIn } from '@x/kernel/hosting'
import { checkOptions, type OptionKinds } from '@x/kernel/options'

/** How long the questions of a program wait for a decision, and what happens then. */
export interface ApprovalPolicy {
  /** Seconds that a question waits. */
  readonly within: number
  /**
   * The decision that then counts, or a function that makes one, such as after it has told somebody else; with `within`, the
   * question waits for as many seconds more. A worker that is lost calls the function again: it has to be safe to repeat. Default:
   * the action is denied.
   */
  readonly otherwise?:
    | ApprovalDecision
    | ((
        pending: PendingApproval,
        /** How many deadlines of the question have passed, from 1. */
        times: number,
      ) => MaybePromise<ApprovalDecision | { readonly within: number }>)
    | undefined
}

const POLICY_KINDS: OptionKinds<ApprovalPolicy> = {
  within: { expected: 'a number of seconds above 0', takes: (value) => Number.isFinite(value) && value > 0 },
  otherwise: {
    expected: 'a decision, such as `{ allow: false }`, or a function that makes one',
    takes: (value) => typeof value === 'function' || typeof value?.allow === 'boolean',
  },
}

/** Name of whoever decides at a deadline, unless the decision names another. */
const DECIDER = 'deadline'

/** Refuses a wrong policy. */
export function checkApprovals(policy: ApprovalPolicy | undefined): void {
  if (policy === undefined) return
  const attempt = 'choose the `approvals` of a chat'
  checkOptions(policy, POLICY_KINDS, attempt)
  if (policy?.within !== undefined) return
  throw new XError(
    'invalid-argument',
    `cannot ${attempt}: it has no \`within\`; give the seconds that a question waits`,
  )
}

/** A question that waits for a decision, with its last deadline in milliseconds since 1970; null before it has one. */
interface WaitingQuestion {
  readonly pending: PendingApproval
  readonly deadline: number | null
  /** How many deadlines it has had before. */
  readonly times: number
}

/** Returns the questions of a journal that wait for a decision. Nothing asks any more what was asked before its last checkpoint. */
export const questionsIn = (entries: readonly JournalEntry[]): readonly PendingApproval[] =>
  pendingIn(entries.slice(checkpointIn(entries)?.index ?? 0))

/** Finds the questions of a journal that wait for a decision, with their deadlines. */
function waitingIn(entries: readonly JournalEntry[]): readonly WaitingQuestion[] {
  return questionsIn(entries).map((pending) => {
    const own = entries.filter(({ place, kind }) => kind === 'timer' && place === placeOf(pending))
    return { pending, deadline: (own.at(-1)?.value as number | undefined) ?? null, times: Math.max(0, own.length - 1) }
  })
}

/** Returns the place of the deadlines of a question. No call stands there: nothing is called inside a question. */
const placeOf = ({ id }: PendingApproval): string => `${id}.0`

const deadlineEntry = (pending: PendingApproval, times: number, value: number): JournalEntry => ({
  place: placeOf(pending),
  kind: 'timer',
  name: `deadline ${times}`,
  value,
})

/** Returns the deadlines of questions that have none, and the first one of all questions; undefined for none. */
export function deadlinesOf(
  policy: ApprovalPolicy,
  entries: readonly JournalEntry[],
  now: number,
): { readonly added: readonly JournalEntry[]; readonly first: number | undefined } {
  const at = Math.ceil(now + policy.within * 1000)
  const waiting = waitingIn(entries)
  const added = waiting.flatMap(({ pending, deadline }) => (deadline === null ? [deadlineEntry(pending, 0, at)] : []))
  const times = waiting.map(({ deadline }) => deadline ?? at)
  return { added, first: times.length > 0 ? Math.min(...times) : undefined }
}

/** Returns the decisions on questions whose deadline has passed, or their further deadlines. */
export async function passedDeadlines(
  { within, otherwise }: ApprovalPolicy,
  entries: readonly JournalEntry[],
  now: number,
): Promise<readonly JournalEntry[]> {
  const passed = waitingIn(entries).filter(({ deadline }) => deadline !== null && deadline <= now)
  return await Promise.all(
    passed.map(async ({ pending, times }) => {
      const denied = { allow: false, reason: `nobody decided within ${within} seconds` } as const
      const next = (typeof otherwise === 'function' ? await otherwise(pending, times + 1) : otherwise) ?? denied
      if (!('within' in next)) return decisionEntry(pending, { by: DECIDER, ...next })
      checkOptions(next, { within: POLICY_KINDS.within }, `wait for the decision on \`${pending.id}\``)
      return deadlineEntry(pending, times + 1, Math.ceil(now + next.within * 1000))
    }),
  )
}
