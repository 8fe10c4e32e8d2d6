import type { ErrorCode, ErrorInit, ModelErrorKind } from '@x/interfaces'
import { XError } from '@x/kernel'

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
