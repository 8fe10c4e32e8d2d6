import type { ChatOutcome } from '@x/interfaces'

/** Why a turn is stopped before its chat has ended. */
export type TurnStop =
  /** The worker gives the chat back. */
  | { readonly why: 'release' }
  /** The chat waits for a message. */
  | { readonly why: 'message' }
  /** Another worker has the chat, or it was cancelled. */
  | { readonly why: 'lost' }
  /** The store or the log does not answer: what is true is not known. */
  | { readonly why: 'failure'; readonly error: unknown }

/** How the program of a turn has ended; `suspended` where it waits for a decision. */
export type ProgramEnd =
  | ChatOutcome
  | 'suspended'
  /** It is not the one that began the chat. */
  | { readonly state: 'refused'; readonly reason: string }

/** What a turn makes of its chat at its end. */
export type LastStep =
  | { readonly do: 'finish'; readonly outcome: ChatOutcome }
  /** Lets it wait for a decision or message. */
  | { readonly do: 'suspend' }
  /** Gives it to the next worker. */
  | { readonly do: 'release' }
  /** Leaves it to a worker that can go on with it, in its time. */
  | { readonly do: 'putOff'; readonly reason: string }
  /** Nothing: it is somebody else's, or has ended. */
  | { readonly do: 'leave' }
  | { readonly do: 'fail'; readonly error: unknown }

/** Decides on the last step of a turn, from how its program has ended and what has stopped it. */
export function lastStep(end: ProgramEnd, stop: TurnStop | null): LastStep {
  switch (stop?.why) {
    case 'lost':
      return { do: 'leave' }
    case 'failure':
      return { do: 'fail', error: stop.error }
    case 'message':
      return { do: 'suspend' }
    case 'release':
      if (end === 'suspended') return { do: 'suspend' }
      // A value is kept, whatever came meanwhile. A failure may come of the stop: the next worker tells.
      return end.state === 'done' ? { do: 'finish', outcome: end } : { do: 'release' }
    default:
      if (end === 'suspended') return { do: 'suspend' }
      return end.state === 'refused' ? { do: 'putOff', reason: end.reason } : { do: 'finish', outcome: end }
  }
}
