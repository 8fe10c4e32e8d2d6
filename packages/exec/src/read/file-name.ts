// Comments that may name a file in the first line; the Python library makes `filename:` optional.
const NAME_COMMENTS = [
  /^<!-- (?<label>filename:)?(?<name>.+?) -->/u,
  /^\/\* (?<label>filename:)?(?<name>.+?) \*\//u,
  /^\/\/ (?<label>filename:)?(?<name>.+?)$/u,
  /^# (?<label>filename:)?(?<name>.+?)$/u,
]

/** File name in a comment. */
export interface NamedFile {
  readonly name: string
  /** True if `filename:` precedes the name. */
  readonly labelled: boolean
}

/** Returns the file name in the first line of code, read as the Python library does; null if there is none. */
export function readNameComment(code: string): NamedFile | null {
  const first = code.split('\n', 1)[0]!.trim()
  for (const comment of NAME_COMMENTS) {
    const { label, name } = comment.exec(first)?.groups ?? {}
    if (name !== undefined) return { name: name.trim(), labelled: label !== undefined }
  }
  return null
}

const PLAUSIBLE_FILE_NAME = /^[^\s:*?"<>|]+\.[A-Za-z][A-Za-z0-9]{0,9}$/u

/** Returns why a name cannot be a file of the work directory, on this platform or on Windows; null if it can. */
export function nameFault(name: string, windows: boolean = process.platform === 'win32'): string | null {
  if (name === '' || name.includes('\0')) return 'is not a file name'
  if (INVISIBLE_CHARACTER.test(name)) return 'holds control characters or invisible ones'
  const parts = name.split(windows ? /[/\\]/u : '/')
  if (/^(?:[/\\]|[A-Za-z]:)/u.test(name) || parts.includes('..')) return 'is not in the workspace'
  if (parts.some((part) => part === '' || part === '.')) return 'is not a file name'
  if (parts.some((part) => Buffer.byteLength(part) > 255) || Buffer.byteLength(name) > 1024) return 'is too long'
  if (parts.some((part) => part.startsWith('-'))) return 'starts with `-`, like an option'
  if (windows && parts.some((part) => WINDOWS_DEVICE_NAME.test(part) || /[<>:"|?*]|[. ]$/u.test(part)))
    return 'is not a file name'
  return null
}

/** Device names of Windows, with any ending. */
const WINDOWS_DEVICE_NAME = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/iu

/** Invisible characters: control characters, characters that change the reading direction, characters without a shape. */
const INVISIBLE_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u

/**
 * Returns the file name that a block requests: a name after `filename:`, or a comment that looks like a file name. Unlike
 * the Python library, this ignores other comments.
 */
export function requestedName(code: string): string | null {
  const comment = readNameComment(code)
  if (comment === null || !(comment.labelled || PLAUSIBLE_FILE_NAME.test(comment.name))) return null
  return comment.name
}
