import type { ModelParams } from '@x/interfaces'
import { XError } from '@x/kernel'
import { secretsOf } from '@x/kernel/redact'
import { option, readOptions, type OptionKind } from '../json/read-options.ts'
import type { LoweredRequest } from './dialect.ts'

/** The content of a request beside its parameters. */
export interface ReadExtras {
  /** Adds fields of the body and headers; in the next form of the request, too. */
  add(request: LoweredRequest): LoweredRequest
  /** Whether the answer has what the provider sent. */
  readonly raw: boolean
  /** Texts of headers that errors must not contain. */
  readonly secrets: readonly string[]
}

const HEADERS: OptionKind<Record<string, string | null>> = {
  expected: 'an object of texts',
  read: (value) => {
    const read = option.object.read(value, { what: '', path: '' })
    return read && Object.values(read).every((each) => each === null || typeof each === 'string')
      ? (read as Record<string, string | null>)
      : undefined
  },
}

const KINDS = { extra_body: option.object, extra_headers: HEADERS, includeRaw: option.boolean }

/** Reads what a request says beside its parameters; undefined for nothing, which is usual. */
export function readExtras(params: ModelParams): ReadExtras | undefined {
  if (!params.extra_body && !params.extra_headers && !params.includeRaw) return undefined
  const { extra_body: body, extra_headers: headers, includeRaw: raw = false } = readOptions(params, KINDS, 'option')
  for (const [name, value] of Object.entries(headers ?? {})) checkHeader(name, value)
  const add = (request: LoweredRequest): LoweredRequest => ({
    ...request,
    // They are meant for the answer, and a count refuses what it does not know.
    body: body && request.operation !== 'countTokens' ? { ...request.body, ...body } : request.body,
    ...(headers && { headers: { ...lowered(request.headers), ...lowered(headers) } }),
  })
  return { add, raw, secrets: [...secretsOf({ defaultHeaders: (headers ?? {}) as Record<string, string> })] }
}

const lowered = (headers: Readonly<Record<string, string | null>> = {}): Record<string, string | null> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** What does not fit into a header would be quoted by the error that says so. */
function checkHeader(name: string, value: string | null): void {
  if (/^[\w!#$%&'*+.^`|~-]+$/u.test(name) && !/[^\t\u0020-\u007e\u0080-\u00ff]/u.test(value ?? '')) return
  throw new XError(
    'invalid-config',
    `the request cannot be sent: the header \`${name.replaceAll(/[^\w-]/gu, '?')}\` of \`extra_headers\` has characters that no header has; remove them`,
    { details: { key: 'extra_headers' } },
  )
}
