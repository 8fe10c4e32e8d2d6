import type { Budget, MaybePromise, Reservation, ReserveOptions, SettledAnswer, Spending } from '@x/interfaces'
import { isThenable } from '../steps.ts'

type Reserving = Pick<Budget, 'reserve'>

/** Reserves in two budgets, or in none when one of them refuses. */
export function reserveInBoth(
  [first, second]: readonly [Reserving, Reserving],
  estimate: Spending,
  options?: ReserveOptions,
): MaybePromise<Reservation> {
  const beside = (held: Reservation): MaybePromise<Reservation> => {
    const refuse = (error: unknown): never => {
      held.release()
      throw error
    }
    let other: MaybePromise<Reservation>
    try {
      other = second.reserve(estimate, options)
    } catch (error) {
      return refuse(error)
    }
    if (!isThenable(other)) return new BothReservations(held, other)
    return other.then((too) => new BothReservations(held, too), refuse)
  }
  const held = first.reserve(estimate, options)
  return isThenable(held) ? held.then(beside) : beside(held)
}

class BothReservations implements Reservation {
  readonly #one: Reservation
  readonly #other: Reservation

  constructor(one: Reservation, other: Reservation) {
    this.#one = one
    this.#other = other
  }

  get maxTokens(): number | undefined {
    const least = Math.min(this.#one.maxTokens ?? Infinity, this.#other.maxTokens ?? Infinity)
    return least === Infinity ? undefined : least
  }

  get amounts(): Spending | undefined {
    const [one, other] = [this.#one.amounts, this.#other.amounts]
    if (!one || !other) return one ?? other
    const most = (key: keyof Spending): number => Math.max(one[key], other[key])
    return { cost: most('cost'), tokens: most('tokens'), calls: most('calls') }
  }

  settle(actual: Spending, answer?: SettledAnswer): void {
    // A request whose outcome is unknown counts in each budget as much as is reserved there.
    const isUnknown = answer?.estimated === true && isSame(actual, this.amounts)
    const actualOf = (each: Reservation): Spending => (isUnknown && each.amounts) || actual
    const [one, other] = [actualOf(this.#one), actualOf(this.#other)]
    return together(this.#one.settle(one, answer), this.#other.settle(other, answer))
  }

  release(): void {
    return together(this.#one.release(), this.#other.release())
  }
}

const isSame = (one: Spending, other: Spending | undefined): boolean =>
  one.cost === other?.cost && one.tokens === other.tokens && one.calls === other.calls

/** Gives a promise where one of two gave one, so that its rejection is heard. */
const together = (one: unknown, other: unknown): void =>
  isThenable(one) || isThenable(other) ? (Promise.all([one, other]) as unknown as undefined) : undefined
