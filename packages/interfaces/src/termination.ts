/** Why a chat ended. */
export type TerminationReason =
  /** An agent's `isTerminationMsg` was true. */
  | 'termination-message'
  /** A `run` without user input has its answer: nothing on the user's side has more to say. */
  | 'answered'
  /** An answer fits the `result` that a `run` was asked for. */
  | 'result'
  /** The agreed number of turns was reached. */
  | 'max-turns'
  /** The agreed number of rounds of a group was reached. */
  | 'max-rounds'
  /** In a group, nobody may speak next. */
  | 'no-next-speaker'
  /** A condition of a group, its `until`, holds. */
  | 'until'
  /** The agents of a group have handed over to each other for a whole round, and nobody has said anything. */
  | 'handoff-loop'
  /** An agent reached its maximum of consecutive auto replies. */
  | 'max-consecutive-auto-reply'
  /** The human typed `exit`. */
  | 'human-exit'
  /** An agent had no reply, or the first message was null. */
  | 'no-reply'
  /** A budget was used up. */
  | 'budget'
  /** An approval is pending: the chat goes on when there is a decision. */
  | 'suspended'
