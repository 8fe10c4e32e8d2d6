import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROGRAMS } from '../pictures/programs.ts'
import { root } from '../workspace.ts'

const SHOWN = /!\[(?<alt>[^\]]*)\]\([^)]*?pictures\/(?<name>[\w-]+\.(?:svg|png))\)/gu
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
]
const shown = documents.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(SHOWN)].map(
    ({ groups }) => groups as { alt: string; name: string },
  ),
)

it('shows every picture in a document', () => {
  const made = readdirSync(join(root, 'docs/pictures')).filter((name) => !name.endsWith('.txt'))
  expect([...new Set(shown.map(({ name }) => name))].toSorted()).toEqual(made.toSorted())
})

it('says beside each picture what it shows', () => {
  const wrong = shown.filter(({ alt, name }) => (PROGRAMS[name] ? alt !== PROGRAMS[name].title : alt.length < 30))
  expect(wrong).toEqual([])
})
