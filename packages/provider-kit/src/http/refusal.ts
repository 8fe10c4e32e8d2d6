import type { HttpRefusal } from '../failure/raise-failure.ts'

/** Error that carries a refusal. */
class Refused extends Error {
  readonly refusal: HttpRefusal

  constructor(refusal: HttpRefusal) {
    super(`status ${refusal.status}`)
    this.refusal = refusal
  }
}

/** Returns a successful response; throws any other one with its body, for `refusalIn`. */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response
  const { status, headers } = response
  throw new Refused({ status, headers, body: await response.text() })
}

/** Reads the refusal out of an error of `requireSuccess`; fits `refusalOf` of a `Wire`. */
export function refusalIn(error: unknown): HttpRefusal | undefined {
  return error instanceof Refused ? error.refusal : undefined
}
