import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkServerName, toolNameFor } from './tool-name.ts'

describe('the name of a tool for models', () => {
  it.each([
    ['github', 'search_issues', 'github__search_issues'],
    ['git-hub', 'search.issues', 'git-hub__search_issues_263671902f'],
    ['s', 'a'.repeat(61), `s__${'a'.repeat(61)}`],
  ])('%s %s', async (server, tool, name) => {
    expect(await toolNameFor(server, tool)).toBe(name)
  })

  it('fits every provider, and is unique among the tools of all servers', async () => {
    const server = fc.stringMatching(/^[a-z\d](?:[a-z\d-]|_[a-z\d]){0,15}$/u).filter((its) => its.length <= 32)
    const tool = fc.oneof(
      fc.string({ minLength: 1, maxLength: 80 }),
      fc.stringMatching(/^[a-z_]{1,80}$/u),
      // The original name of one tool is the name for models of another.
      fc.stringMatching(/^[a-z]{1,5}_[\da-f]{10}$/u),
    )
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.tuple(server, tool), { selector: (its) => its.join('\0') }), async (pairs) => {
        for (const [name] of pairs) checkServerName(name)
        const names = await Promise.all(pairs.map(async ([s, t]) => await toolNameFor(s, t)))
        expect(names.filter((name) => !/^[\w-]{1,64}$/u.test(name))).toEqual([])
        expect(new Set(names).size).toBe(names.length)
        for (const [index, [s, t]] of pairs.entries()) expect(await toolNameFor(s, t)).toBe(names[index])
      }),
    )
  })

  it.each(['', 'a__b', 'a_', '-a', 'ä', 'a b', 'x'.repeat(33), undefined, 3])('refuses the server %j', (name) => {
    expect(() => checkServerName(name)).toThrow(/give `name`/u)
  })
})
