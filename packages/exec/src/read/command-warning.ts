const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\brm\s+-rf\b/u, 'deletes by `rm -rf`'],
  [/\bmv\b.*?\s+\/dev\/null/u, 'moves files to `/dev/null`'],
  [/\bdd\b/u, 'calls `dd`'],
  [/>\s*\/dev\/sd[a-z][1-9]?/u, 'overwrites a disk'],
  [/:\(\)\{\s*:\|:&\s*\};:/u, 'is a fork bomb'],
]

/**
 * Says what looks dangerous in shell code, by the five patterns of the Python library; null when nothing does. A lint for
 * trusted code: whoever means harm writes it another way.
 */
export function commandWarning(code: string): string | null {
  return PATTERNS.find(([pattern]) => pattern.test(code))?.[1] ?? null
}
