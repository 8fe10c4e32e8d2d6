import { isXError } from '@x/kernel'

/** The error of a refused request, with its HTTP status. */
export class HttpFailure extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Converts an error to a response; hides the details of an unexpected error. */
export function asFailure(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error
  if (isXError(error)) {
    if (error.code === 'invalid-state') return new HttpFailure(409, error.message)
    if (error.code === 'invalid-argument') return new HttpFailure(400, error.message)
  }
  return new HttpFailure(500, 'the server failed')
}
