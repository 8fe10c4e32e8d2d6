import { expect, it } from 'vitest'
import { resolveLink } from './links.ts'
import { bySource, pageOf } from './page.ts'
import { repositoryUrl } from './repository.ts'

const pages = bySource([
  pageOf('', 'README.md', '# Home\n\nWords.'),
  pageOf('guides/chats', 'docs/chats.md', '# Chats\n\nWords.'),
  pageOf('reference/kit', 'packages/kit/README.md', '# `@x/kit`\n\nWords.'),
])
const pictures: string[] = []
const resolve = (source: string, link: string): string =>
  resolveLink(source, link, { base: '/a/', pages, names: new Map(), shows: (picture) => void pictures.push(picture) })

it.each([
  ['docs/groups.md', 'chats.md#a-run', '/a/guides/chats/#a-run'],
  ['packages/agent/README.md', '../kit', '/a/reference/kit/'],
  ['packages/agent/README.md', '../kit/README.md#options', '/a/reference/kit/#options'],
  ['docs/chats.md', '../README.md', '/a/'],
  ['docs/chats.md', '#here', '#here'],
  ['docs/chats.md', 'https://example.org/', 'https://example.org/'],
  ['docs/chats.md', '../LICENSE', `${repositoryUrl()}/blob/main/LICENSE`],
  ['README.md', 'apps/web-chat', `${repositoryUrl()}/tree/main/apps/web-chat`],
])('in %s, %s leads to %s', (source, link, address) => {
  expect(resolve(source, link)).toBe(address)
})

it('keeps the pictures that a page shows', () => {
  expect(resolve('docs/histories.md', 'histories.svg')).toBe('/a/docs/histories.svg')
  expect(pictures).toEqual(['docs/histories.svg'])
})

it('refuses a link to a file that is not there', () => {
  expect(() => resolve('docs/chats.md', 'none.md')).toThrow(
    'docs/chats.md links to `none.md`, but there is no `docs/none.md`',
  )
})
