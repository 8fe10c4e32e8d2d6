import { expect, it } from 'vitest'
import { relativeLinks, rewriteLinks } from './absolute-links.ts'

const absolute = (link: string): string => `https://forge.example/${link}`

it.each([
  ['[docs/chats.md](../../docs/chats.md#a-run)', '[docs/chats.md](https://forge.example/../../docs/chats.md#a-run)'],
  ['[`@x/kit`](../kit), [two](b.md)', '[`@x/kit`](https://forge.example/../kit), [two](https://forge.example/b.md)'],
  ['![a picture](p.svg "title")', '![a picture](https://forge.example/p.svg "title")'],
  ['[chats]: ../chats.md', '[chats]: https://forge.example/../chats.md'],
  [
    '<img src="p.svg"> <a href="q.md">',
    '<img src="https://forge.example/p.svg"> <a href="https://forge.example/q.md">',
  ],
  [
    '[one](a.md)\n\n```ts\n[0](1)\n```\n\n[b](b.md)',
    '[one](https://forge.example/a.md)\n\n```ts\n[0](1)\n```\n\n[b](https://forge.example/b.md)',
  ],
])('rewrites %j', (text, rewritten) => {
  expect(rewriteLinks(text, absolute)).toBe(rewritten)
  expect(relativeLinks(rewritten)).toEqual([])
})

it.each(['[here](#options)', '[page](https://x.org/a)', '[mail](mailto:a@x.org)', '`list[0](../a)`', '[x](//x.org/a)'])(
  'leaves %j alone',
  (text) => {
    expect(rewriteLinks(text, absolute)).toBe(text)
  },
)
