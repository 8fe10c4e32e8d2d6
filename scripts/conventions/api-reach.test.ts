import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../workspace.ts'

/** Limits for the files that the declarations of an entry reach, the entry included: editors and `tsc` of users read them all. */
const MAX_REACHED_FILES: Readonly<Record<string, number>> = {
  'agent/index.d.ts': 17,
  'agent/steps.d.ts': 16,
}

/** Reads which files the declarations of an entry import, directly or by others; `pnpm check api` keeps them current. */
function readReachedFiles(entry: string): string[] {
  const reached = new Set([entry])
  for (const file of reached) {
    const text = readFileSync(join(root, 'etc/api', file), 'utf8')
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.ts['"]/g)) {
      reached.add(posix.join(posix.dirname(file), `${specifier}.d.ts`))
    }
  }
  return [...reached].toSorted()
}

describe.each(Object.entries(MAX_REACHED_FILES))('the declarations of %s', (entry, most) => {
  it(`reach at most ${most} files`, () => {
    expect(readReachedFiles(entry).length).toBeLessThanOrEqual(most)
  })

  it('do not show the state of an agent or the parts of a run', () => {
    const shown = readReachedFiles(entry)
    expect(shown).toContain('agent/options/operations.d.ts')
    expect(shown).not.toContain('agent/memory/state.d.ts')
    expect(shown).not.toContain('agent/run/scope.d.ts')
  })
})
