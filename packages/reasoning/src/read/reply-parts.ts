/** The parts of a thinker's reply. */
export interface ThinkerReply {
  /** The review of the steps so far; may be empty. */
  reflection: string
  /** The options for the next step, in order. */
  options: string[]
}
