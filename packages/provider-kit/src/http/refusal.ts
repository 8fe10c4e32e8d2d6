import type { HttpRefusal } from '../failure/raise-failure.ts'

/** A refusal on its way to where failures are made. */
class Refused extends Error {
  readonly refusal: HttpRefusal

  constructor(refusal: HttpRefusal) {
    super(`status ${refusal.status}`)
    this.refusal = refusal
  }
}

/** Gives a response that is a success; throws one that is not, with its body, for `refusalIn`. */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response
  const { status, headers } = response
  throw new Refused({ status, headers, body: await response.text() })
}

/** Reads the refusal out of what `requireSuccess` throws; what a `Wire` gives as `refusalOf`. */
export function refusalIn(error: unknown): HttpRefusal | undefined {
  return error instanceof Refused ? error.refusal : undefined
}
