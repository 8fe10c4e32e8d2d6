import { redact } from '@x/kernel/redact'

/** Copies an error for use as a cause: name, message, code, stack and causes, without secrets, headers and bodies. */
export function plainCause(error: unknown, secrets: Iterable<string>, depth: number = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  const { code } = error as { code?: unknown }
  const copy = new Error(redact(error.message, secrets), { cause: plainCause(error.cause, secrets, depth + 1) })
  Object.defineProperty(copy, 'name', { value: error.constructor.name })
  // A stack is written out when it is first read, which takes long: most failures are never looked at.
  Object.defineProperty(copy, 'stack', { get: () => redact(error.stack ?? '', secrets) })
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code, secrets) }) : copy
}
