import type { CacheClaim } from '@x/interfaces'
import { isThenable } from '@x/kernel'

/** Tells a claim from anything else that a store may give. */
export function isClaim(value: unknown): value is CacheClaim {
  try {
    const { renew, release } = (value ?? {}) as Partial<CacheClaim>
    return typeof renew === 'function' && typeof release === 'function'
  } catch {
    return false
  }
}

/** A claim that this process has: it is prolonged until its end, and never fails nor keeps the program running. */
export class HeldClaim {
  readonly #claim: CacheClaim
  readonly #lease: number
  readonly #onFail: (reason: string) => void
  readonly #timer: ReturnType<typeof setInterval>
  #renewing = false

  /** `lease` is in seconds. */
  constructor(claim: CacheClaim, lease: number, onFail: (reason: string) => void) {
    this.#claim = claim
    this.#lease = lease
    this.#onFail = onFail
    this.#timer = setInterval(() => this.#renew(), (lease * 1000) / 3)
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  /** Releases the claim, which nobody waits for. */
  end(): void {
    clearInterval(this.#timer)
    this.#ask(
      () => this.#claim.release(),
      () => {},
    )
  }

  #renew(): void {
    // A store that hangs is not asked again: the claim then ends by itself.
    if (this.#renewing) return
    this.#renewing = true
    this.#ask(
      () => this.#claim.renew(this.#lease),
      (held) => {
        this.#renewing = false
        if (held !== true) clearInterval(this.#timer)
      },
    )
  }

  #ask(ask: () => unknown, then: (value: unknown) => void): void {
    const fail = (error: unknown): void => {
      this.#renewing = false
      this.#onFail(error instanceof Error ? error.message : 'the store failed')
    }
    try {
      const asked = ask()
      if (isThenable(asked)) Promise.resolve(asked).then(then, fail)
      else then(asked)
    } catch (error) {
      fail(error)
    }
  }
}
