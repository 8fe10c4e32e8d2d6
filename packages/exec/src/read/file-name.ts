// The four comments that may name a file in a first line; `filename:` is optional in the reference.
const NAME_COMMENTS = [
  /^<!-- (?<label>filename:)?(?<name>.+?) -->/u,
  /^\/\* (?<label>filename:)?(?<name>.+?) \*\//u,
  /^\/\/ (?<label>filename:)?(?<name>.+?)$/u,
  /^# (?<label>filename:)?(?<name>.+?)$/u,
]

/** A name as a comment gives it. */
export interface NamedFile {
  readonly name: string
  /** True if `filename:` stood before it. */
  readonly labelled: boolean
}

/** Reads the file name in the first line of code as the Python library does; null when there is none. */
export function fileNameIn(code: string): NamedFile | null {
  const first = code.split('\n', 1)[0]!.trim()
  for (const comment of NAME_COMMENTS) {
    const { label, name } = comment.exec(first)?.groups ?? {}
    if (name !== undefined) return { name: name.trim(), labelled: label !== undefined }
  }
  return null
}

const PLAUSIBLE_FILE_NAME = /^[^\s:*?"<>|]+\.[A-Za-z][A-Za-z0-9]{0,9}$/u

/** Returns why a name cannot be a file of the work directory on this platform, or on Windows; null when it can. */
export function nameFault(name: string, windows: boolean = process.platform === 'win32'): string | null {
  if (name === '' || name.includes('\0')) return 'is not a file name'
  if (INVISIBLE_CHARACTER.test(name)) return 'holds control characters or invisible ones'
  const parts = name.split(windows ? /[/\\]/u : '/')
  if (/^(?:[/\\]|[A-Za-z]:)/u.test(name) || parts.includes('..')) return 'is not in the workspace'
  if (parts.some((part) => part === '' || part === '.')) return 'is not a file name'
  if (parts.some((part) => Buffer.byteLength(part) > 255) || Buffer.byteLength(name) > 1024) return 'is too long'
  if (parts.some((part) => part.startsWith('-'))) return 'starts like an option'
  if (windows && parts.some((part) => WINDOWS_DEVICE_NAME.test(part) || /[<>:"|?*]|[. ]$/u.test(part)))
    return 'is not a file name'
  return null
}

/** Names that are devices on Windows, with any ending. */
const WINDOWS_DEVICE_NAME = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/iu

/** Characters that nobody sees: control characters, those that turn the reading direction round, and all that have no shape. */
const INVISIBLE_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u

/**
 * The name a block asks for: one after `filename:`, or one that looks like a file's. A plain comment is none, though the
 * reference takes it for one.
 */
export function wantedName(code: string): string | null {
  const named = fileNameIn(code)
  if (named === null || !(named.labelled || PLAUSIBLE_FILE_NAME.test(named.name))) return null
  return named.name
}
