import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { editInTar } from './tar.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tar-'))
  for (const [file, text] of Object.entries({ 'a.md': 'one\n', 'b.md': 'two\n', 'c.md': 'three\n' }))
    writeFileSync(join(folder, file), text)
  tar('-cf', 'packed.tar', 'a.md', 'b.md', 'c.md')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([0, 1, 511, 512, 513, 9000])('replaces a text by one of %s signs', (length) => {
  const edited = editInTar(readFileSync(join(folder, 'packed.tar')), 'b.md', (text) => {
    expect(text).toBe('two\n')
    return 'x'.repeat(length)
  })
  writeFileSync(join(folder, 'edited.tar'), edited)
  expect(['a.md', 'b.md', 'c.md'].map((file) => tar('-xOf', 'edited.tar', file))).toEqual([
    'one\n',
    'x'.repeat(length),
    'three\n',
  ])
})

it('says when a file is not there', () => {
  expect(() => editInTar(readFileSync(join(folder, 'packed.tar')), 'd.md', String)).toThrow('`d.md`')
})

function tar(...args: string[]): string {
  return execFileSync('tar', args, { cwd: folder, encoding: 'utf8' })
}
