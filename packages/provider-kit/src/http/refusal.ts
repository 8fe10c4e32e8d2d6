import type { HttpRefusal } from '../failure/raise-failure.ts'
import { readBrokenText } from './read-text.ts'
import { limitOf, type ReceiveLimits } from './receive-limits.ts'

/** Error that carries a refusal. */
class Refused extends Error {
  readonly refusal: HttpRefusal

  constructor(refusal: HttpRefusal) {
    super(`status ${refusal.status}`)
    this.refusal = refusal
  }
}

/** Returns a successful response; throws any other one with the first `maxErrorBytes` of its body, for `refusalIn`. */
export async function requireSuccess(response: Response, limits: ReceiveLimits = {}): Promise<Response> {
  if (response.ok) return response
  const { status, headers } = response
  throw new Refused({ status, headers, body: await readBrokenText(response, limitOf(limits, 'maxErrorBytes')) })
}

/** Reads the refusal out of an error of `requireSuccess`; fits `refusalOf` of a `Wire`. */
export function refusalIn(error: unknown): HttpRefusal | undefined {
  return error instanceof Refused ? error.refusal : undefined
}
