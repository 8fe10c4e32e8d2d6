/** Removes secrets from a text. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 6) clean = clean.replaceAll(secret, '[redacted]')
  return clean
}

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

/** Copies plain data without the secrets that its texts may hold. */
export function redactedData(value: unknown, secrets: Iterable<string>): unknown {
  if (typeof value === 'string') return redact(value, secrets)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => redactedData(item, secrets))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key, secrets), redactedData(item, secrets)]),
  )
}
