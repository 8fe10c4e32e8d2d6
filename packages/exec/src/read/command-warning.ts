const DANGEROUS_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\brm\s+-rf\b/u, 'deletes by `rm -rf`'],
  [/\bdd\b/u, 'calls `dd`'],
  [/>\s*\/dev\/sd[a-z][1-9]?/u, 'overwrites a disk'],
  [/:\(\)\{\s*:\|:&\s*\};:/u, 'is a fork bomb'],
]

/**
 * Returns a warning if shell code matches one of the five dangerous patterns of the Python library, else null. A lint for
 * trusted code: an attacker can write the same command in another way.
 */
export function commandWarning(code: string): string | null {
  if (movesToNull(code)) return 'moves files to `/dev/null`'
  return DANGEROUS_PATTERNS.find(([pattern]) => pattern.test(code))?.[1] ?? null
}

/** Returns true if `/dev/null` follows `mv` on the same line, or starts the next line that is not blank. */
function movesToNull(code: string): boolean {
  let below = ''
  for (const line of code.split(/[\n\r\u2028\u2029]/u).toReversed()) {
    const rest = /\bmv\b(?<rest>.*)/u.exec(line)?.groups?.['rest']
    if (rest !== undefined && (/\s\/dev\/null/u.test(rest) || below.startsWith('/dev/null'))) return true
    below = line.trimStart() || below
  }
  return false
}
