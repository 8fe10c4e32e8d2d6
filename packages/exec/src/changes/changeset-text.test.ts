import { expect, it } from 'vitest'
import type { Change } from './changeset.ts'
import { changesetText, visibleText, type ChangedContent } from './changeset-text.ts'

const file = (name: string, kind: Change['kind'], risk?: string): Change => ({
  name,
  kind,
  entry: 'file',
  ...(risk !== undefined && { risk }),
})
const texts = (before: string | undefined, after: string | undefined): ChangedContent => ({
  before: before === undefined ? undefined : Buffer.from(before),
  after: after === undefined ? undefined : Buffer.from(after),
})

it('names what has a risk first, and shows the changed lines of text files', () => {
  const changes: Change[] = [
    file('src/a.ts', 'changed'),
    { name: 'latest', kind: 'added', entry: 'link', target: 'src' },
    file('old.txt', 'removed'),
    file('package.json', 'added', 'it runs'),
    file('image.bin', 'added'),
  ]
  const contents: Record<string, ChangedContent> = {
    'src/a.ts': texts('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n'),
    'package.json': texts(undefined, '{}\n'),
    'image.bin': { before: undefined, after: Buffer.from([1, 0, 2]) },
  }
  expect(changesetText(changes, ({ name }) => contents[name]!)).toBe(`5 changes, 1 with a risk (!):
! added package.json (it runs)
  changed src/a.ts
  added link latest -> src
  removed old.txt
  added image.bin

=== added package.json
@@ -1 +1 @@
+{}

=== changed src/a.ts
@@ -2 +2 @@
 2
 3
 4
-5
+five
 6
 7
 8

=== added image.bin: no text, or long: nothing before, 3 bytes after
`)
})

it('lets no text act on a terminal or hide in it', () => {
  const hostile = 'a\u001B[2Kb\rc\u202Ed\u200B\u009B1m\u2028e\u{E0041}\uD800\t.'
  expect(visibleText(hostile)).toBe(
    String.raw`a\u{1b}[2Kb\u{d}c\u{202e}d\u{200b}\u{9b}1m\u{2028}e\u{e0041}\u{d800}` + '\t.',
  )
  const text = changesetText([file(hostile, 'added')], () => texts('', `echo safe\u001B]0;rm -rf /\u0007\n`))
  expect(text).not.toMatch(/[[\p{Cc}\u202E]--[\n\t]]/v)
  expect(text).toContain(String.raw`+echo safe\u{1b}]0;rm -rf /\u{7}`)
})

it('is bounded, and says what it leaves out', () => {
  const many = Array.from({ length: 900 }, (_, index) => file(`${index}`, 'added'))
  const long = changesetText([...many, file('x', 'changed', 'it runs')], () =>
    texts('', `${'y'.repeat(1_000)}\n`.repeat(500)),
  )
  expect(long.length).toBeLessThan(45_000)
  expect(long.split('\n')[1]).toBe('! changed x (it runs)')
  expect(long).toContain('… and 701 more changes')
  expect(long).toContain('more lines of this file are not shown')
  expect(long).toContain('… the lines of 900 more changed files are not shown')
  expect(visibleText('\u200B'.repeat(900)).length).toBeLessThan(330)
  const one = changesetText([file('x', 'changed')], () => texts('', 'y\n'.repeat(900)))
  expect(one).toContain('… 701 more lines of this file are not shown')
  expect(changesetText([file('x', 'added')], () => ({ before: undefined, after: 2 ** 21 }))).toContain(
    '2097152 bytes after',
  )
})
