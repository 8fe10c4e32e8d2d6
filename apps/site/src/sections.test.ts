import { expect, it } from 'vitest'
import { read } from './repository.ts'
import { SECTIONS } from './sections.ts'

const MAX_WORDS = 1200

/** The words of a document that a person reads: without code, comments and the targets of links. */
function wordsOf(markdown: string): number {
  const text = markdown
    .replaceAll(/^```[^]*?^```/gmu, '')
    .replaceAll(/<!--[^]*?-->/gu, '')
    .replaceAll(/\]\([^)]*\)/gu, ']')
  return text.split(/[\s|]+/u).filter((word) => /[\p{L}\d]/u.test(word)).length
}

it('has no guide of more than 1,200 words', () => {
  const guides = SECTIONS.find(({ label }) => label === 'Guides')!.groups.flatMap(({ files }) => files)
  expect(guides.length).toBeGreaterThan(30)
  expect(guides.filter((file) => wordsOf(read(file)) > MAX_WORDS)).toEqual([])
})

it('has every document in the list of docs/README.md', () => {
  const list = read('docs/README.md')
  const files = SECTIONS.flatMap(({ groups }) => groups.flatMap((group) => group.files))
  const documents = files.filter((file) => /^docs\/[^/]+\.md$/u.test(file) && file !== 'docs/README.md')
  expect(documents.length).toBeGreaterThan(50)
  expect(documents.filter((file) => !list.includes(`](${file.slice('docs/'.length)})`))).toEqual([])
})
