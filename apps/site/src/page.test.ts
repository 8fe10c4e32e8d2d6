import { expect, it } from 'vitest'
import { pageOf } from './page.ts'

it('takes title and description from the first lines', () => {
  const page = pageOf(
    'a',
    'docs/a.md',
    '# `@x/kit`: agents\n\n<!-- from b.ts -->\n\nOne [install](b.md) for `createAgent`. It adds nothing:\n\n- a list\n',
  )
  expect(page).toMatchObject({ title: '@x/kit: agents', description: 'One install for createAgent. It adds nothing.' })
})

it('keeps whole sentences of a long beginning', () => {
  const first = `${'A word '.repeat(20).trim()}.`
  expect(pageOf('a', 'docs/a.md', `# A\n\n${first} ${first}`).description).toBe(first)
})

it('refuses a document that does not begin with its title', () => {
  expect(() => pageOf('a', 'docs/a.md', 'Words.')).toThrow('cannot make a page of `docs/a.md`')
})
