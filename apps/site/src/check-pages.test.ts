import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pageFaults } from './check-pages.ts'

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'pages-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Writes a site of two pages, the first with these words, and returns what is wrong with it. */
function faultsOf(markup: string): string[] {
  const files = {
    'index.html': `<main>${markup}</main><style>a{background:url("no.png")}</style>`,
    'guides/chats/index.html': '<h2 id="a-run">A run</h2>',
    'docs/chats.md': '# Chats',
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return pageFaults(folder, '/agents/')
}

it.each([
  '<a href="/agents/guides/chats/#a-run">a run</a>',
  '<a class="x" href="guides/chats/" id="here">chats</a> <a href="#here">here</a>',
  '<a href="/agents/docs/chats.md">its text</a>',
  '<a href="https://example.org/">another host</a> <link rel="canonical" href="https://example.org/a">',
  '<script>const text = `<a href="/nowhere">`</script>',
])('finds nothing wrong with %s', (markup) => {
  expect(faultsOf(markup)).toEqual([])
})

it.each([
  ['<a href="/agents/guides/none/">x</a>', 'leads to /agents/guides/none/: there is no such file'],
  ['<a href="/agents/guides/">x</a>', 'leads to /agents/guides/: there is no such file'],
  ['<a href="/guides/chats/">x</a>', 'leads to /guides/chats/: it is outside of /agents/'],
  ['<a href="guides/chats/#a-walk">x</a>', 'leads to guides/chats/#a-walk: the page has no such anchor'],
  ['<img alt="" src="p.svg">', 'leads to p.svg: there is no such file'],
  ['<script src="https://example.org/a.js"></script>', 'loads https://example.org/a.js from another host'],
  ['<link rel="stylesheet" href="https://example.org/a.css"/>', 'loads https://example.org/a.css from another host'],
])('finds what is wrong with %s', (markup, fault) => {
  expect(faultsOf(markup)).toEqual([`index.html ${fault}`])
})
