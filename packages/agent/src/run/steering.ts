import type { EventStream, SteeringSource } from '@x/interfaces'
import { XError } from '@x/kernel'

/** A message for a run, and what hears whether the run has taken it. */
interface WaitingMessage {
  readonly text: string
  readonly settle: (isTaken: boolean) => void
}

const NONE: readonly WaitingMessage[] = []

/**
 * Steers one run: give it as the option `steering` of a run, chat or group, in any face, and call `steer` while that is under
 * way. The next call of an agent's model in the run, at any depth, gets the message behind the history of that agent.
 */
export class Steering implements SteeringSource, Steerable {
  #waiting: readonly WaitingMessage[] = NONE
  #hasEnded = false

  /**
   * Sends a message to the run, also before it has begun. Resolves to true once a question to a model has it, and to false if
   * the run ends before: it may end with an answer that was under way. Fails with `invalid-argument` for an empty text.
   */
  async steer(text: string): Promise<boolean> {
    refuseEmpty(text)
    if (this.#hasEnded) return false
    return await new Promise<boolean>((settle) => (this.#waiting = [...this.#waiting, { text, settle }]))
  }

  /** True while no message waits. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Called by the run before each call of a model. */
  take(): readonly { readonly text: string }[] {
    return this.#settle(true).map(({ text }) => ({ text }))
  }

  /** Called by the run when it has ended. */
  end(): void {
    this.#hasEnded = true
    this.#settle(false)
  }

  #settle(isTaken: boolean): readonly WaitingMessage[] {
    const settled = this.#waiting
    this.#waiting = NONE
    for (const { settle } of settled) settle(isTaken)
    return settled
  }
}

/** A run that takes messages while it is under way. */
export interface Steerable {
  /**
   * Sends a message to the run; the next call of an agent's model in it gets the message. Resolves to true once a question to a
   * model has it, and to false if the run ends before. Fails with `invalid-argument` for an empty text.
   */
  steer(text: string): Promise<boolean>
}

/** Steers a run by what was given as its `steering`. */
export async function steer(steering: SteeringSource | undefined, text: string): Promise<boolean> {
  if (steering instanceof Steering) return await steering.steer(text)
  throw new XError('invalid-state', 'the run has a `steering` of another make: send the message to that')
}

/** Ends what steers a run that has ended, also where it never began. What is of another make hears of the end from the run. */
export function endSteering(steering: SteeringSource): void {
  if (steering instanceof Steering) steering.end()
}

/** Ends what steers a stream when that has ended, also one that was left before it began. */
export function endSteeringOf({ result }: EventStream<unknown>, steering: SteeringSource): void {
  const end = (): void => endSteering(steering)
  // Its own `then` would let the stream begin.
  void Promise.prototype.then.call(result, end, end)
}

/** Refuses a message without a text: models refuse a text of blanks too. */
function refuseEmpty(text: string): void {
  if (typeof text === 'string' && text.trim() !== '') return
  const problem = typeof text === 'string' ? 'its message is empty' : 'its message is not a text'
  throw new XError('invalid-argument', `cannot steer a run: ${problem}; give a text`)
}
