import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { closureOf } from './closures.ts'
import { readPackages, root } from './workspace.ts'

const DOCUMENT = 'docs/installing.md'

it(`says in ${DOCUMENT} what comes with each package`, () => {
  const rows = readFileSync(join(root, DOCUMENT), 'utf8').split('\n')
  const missing = readPackages()
    .map((each) => {
      const { ours, others } = closureOf(each)
      return `| \`${each.name}\` | ${listed(ours)} | ${listed(others)} |`
    })
    .filter((row) => !rows.some((line) => line.replaceAll(/ +/gu, ' ') === row))
  expect(missing).toEqual([])
})

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || '–'
