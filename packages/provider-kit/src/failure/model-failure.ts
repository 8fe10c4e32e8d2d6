import type { ErrorCode, ErrorInit, ModelErrorKind } from '@x/interfaces'
import { XError } from '@x/kernel'
import { redact } from '@x/kernel/redact'

/** Makes the error of a failed model call; its code follows from its kind. */
export function modelFailure(
  kind: ModelErrorKind,
  message: string,
  init: Omit<ErrorInit, 'kind' | 'attempts'> = {},
): XError {
  return new XError(codeOf(kind), message, { ...init, kind })
}

function codeOf(kind: ModelErrorKind): ErrorCode {
  return kind === 'timeout' || kind === 'content-filter' || kind === 'aborted' ? kind : 'model-failed'
}

/** Deepest cause of an error that is copied. */
const MAX_CAUSE_DEPTH = 4

/** Copies an error for use as a cause: name, message, code, stack and causes, without secrets, headers and bodies. */
export function plainCause(error: unknown, secrets: Iterable<string>, depth: number = 0): Error | undefined {
  if (!(error instanceof Error) || depth > MAX_CAUSE_DEPTH) return undefined
  const { code } = error as { code?: unknown }
  const copy = new Error(redact(error.message, secrets), { cause: plainCause(error.cause, secrets, depth + 1) })
  Object.defineProperty(copy, 'name', { value: error.constructor.name })
  // Writing a stack out takes long, and most failures are never looked at: the first reader pays for it.
  Object.defineProperty(copy, 'stack', { get: () => redact(error.stack ?? '', secrets) })
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code, secrets) }) : copy
}

/** Characters of a text that are searched for tags: a hostile text could make a longer search slow. */
const MAX_SEARCHED_CHARS = 8192

/** Characters of a text that an error shows. */
const MAX_SHOWN_CHARS = 300

/** Returns the beginning of a text for an error; of an HTML page without tags, styles and scripts. */
export function plainText(text: string): string {
  const searched = text.slice(0, MAX_SEARCHED_CHARS)
  const plain = searched.replaceAll(/<(?:style|script)[\s\S]*?<\/(?:style|script)>|<[^>]*>/gu, ' ')
  return plain.replaceAll(/\s+/gu, ' ').trim().slice(0, MAX_SHOWN_CHARS)
}
