import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../workspace.ts'

const documents = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]

/** Files that a reader of a recipe creates. */
const CREATED = /\/(?:echo(?:\.steps|\.test)?\.ts|jail\.ts|NNNN-title\.md)$/

it.each(documents.filter((name) => name.endsWith('.md')))('%s names only files that there are', (document) => {
  const text = readFileSync(join(root, document), 'utf8')
  const named = [...text.matchAll(/`((?:packages|apps|scripts|docs|examples|etc|\.ci)\/[\w./-]+\.\w+)`/g)]
  const missing = named.map(([, file]) => file!).filter((file) => !CREATED.test(file) && !existsSync(join(root, file)))
  expect(missing).toEqual([])
})
