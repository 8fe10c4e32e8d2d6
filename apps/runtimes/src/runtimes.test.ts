import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RUNTIMES } from './runtimes.ts'

const DOCUMENT = join(import.meta.dirname, '../../../docs/installing.md')

it('tries the places that docs/installing.md says something about, in its order', () => {
  const [, section = ''] = readFileSync(DOCUMENT, 'utf8').split('## Where it runs')
  const rows = [...section.matchAll(/^\| ([^|]+?) +\|/gmu)].map(([, name]) => name)
  expect(rows.slice(2)).toEqual(Object.keys(RUNTIMES))
})
