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
  return withoutTags(searched).replaceAll(/\s+/gu, ' ').trim().slice(0, MAX_SHOWN_CHARS)
}

/** Puts a blank in place of tags, and of styles and scripts as a whole. */
function withoutTags(text: string): string {
  let plain = ''
  let at = 0
  let lastEnd = text.length
  for (;;) {
    const tag = text.indexOf('<', at)
    if (tag === -1) return plain + text.slice(at)
    plain += text.slice(at, tag)
    const isWhole = /^<(?:style|script)/u.test(text.slice(tag, tag + 7))
    const closing = isWhole && tag < lastEnd ? endOfElement(text, tag) : -1
    // Where nothing closes an element, nothing closes a later one.
    if (isWhole && closing === -1) lastEnd = Math.min(lastEnd, tag)
    const end = closing === -1 ? text.indexOf('>', tag) + 1 : closing
    if (end === 0) return plain + text.slice(tag)
    plain += ' '
    at = end
  }
}

function endOfElement(text: string, from: number): number {
  const ends = ['</style>', '</script>'].flatMap((tag) => {
    const at = text.indexOf(tag, from)
    return at === -1 ? [] : [at + tag.length]
  })
  return ends.length === 0 ? -1 : Math.min(...ends)
}
