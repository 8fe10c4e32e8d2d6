import { expect, it } from 'vitest'
import { neighboursOf, sidebarFor, type SidebarEntry } from './navigation.ts'

const navigation = [
  { label: 'What it is', id: '' },
  { label: 'Guides', nodes: [{ label: 'Chats', id: 'guides/chats' }] },
  { label: 'Examples', id: 'examples', folded: true, nodes: [{ label: 'Hello', id: 'examples/hello' }] },
]
/** A sidebar as lines; the page that is open is marked. */
const lines = (entries: readonly SidebarEntry[]): string[] =>
  entries.flatMap((entry) =>
    entry.type === 'link'
      ? [`${entry.isCurrent ? '* ' : ''}${entry.label} ${entry.href}`]
      : [entry.label, ...lines(entry.entries).map((line) => `  ${line}`)],
  )

it('lists the pages of a folded part on its own pages only', () => {
  expect(lines(sidebarFor(navigation, 'guides/chats', '/'))).toEqual([
    'What it is /',
    'Guides',
    '  * Chats /guides/chats/',
    'Examples /examples/',
  ])
  expect(lines(sidebarFor(navigation, 'examples/hello', '/a/')).slice(3)).toEqual([
    'Examples',
    '  Overview /a/examples/',
    '  * Hello /a/examples/hello/',
  ])
})

it('leads from a page to the one before and the one after', () => {
  const order = [navigation[0]!, ...navigation[1]!.nodes!]
  expect(neighboursOf(order, '', '/')).toMatchObject({
    prev: undefined,
    next: { label: 'Chats', href: '/guides/chats/' },
  })
  expect(neighboursOf(order, 'guides/chats', '/')).toMatchObject({ prev: { label: 'What it is' }, next: undefined })
  expect(neighboursOf(order, 'examples/hello', '/')).toEqual({ prev: undefined, next: undefined })
})
