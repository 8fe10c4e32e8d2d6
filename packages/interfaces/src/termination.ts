/** Why a chat ended. */
export type TerminationReason =
  /** An agent's `isTerminationMsg` was true. */
  | 'termination-message'
  /** A `run` without user input has its answer: the user's side has nothing to reply. */
  | 'answered'
  /** An answer fits the `result` of a `run`. */
  | 'result'
  /** `maxTurns` was reached. */
  | 'max-turns'
  /** The maximum of rounds of a group was reached. */
  | 'max-rounds'
  /** In a group, no agent may speak next. */
  | 'no-next-speaker'
  /** The `until` condition of a group holds. */
  | 'until'
  /** The agents of a group have handed over to each other for a whole round without a message. */
  | 'handoff-loop'
  /** An agent reached its maximum of consecutive auto replies. */
  | 'max-consecutive-auto-reply'
  /** The human typed `exit`. */
  | 'human-exit'
  /** An agent had no reply, or the first message was null. */
  | 'no-reply'
  /** A budget was used up. */
  | 'budget'
  /** An approval is pending: the chat resumes after the decision. */
  | 'suspended'
