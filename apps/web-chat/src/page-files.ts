import { readFileSync } from 'node:fs'

/** A file of the page. */
export interface PageFile {
  readonly type: string
  readonly body: Buffer
}

const PAGE_FILES = [
  ['index.html', 'text/html'],
  ['page.css', 'text/css'],
  ['items.css', 'text/css'],
  ['icon.svg', 'image/svg+xml'],
  ...['theme', 'page', 'chats', 'composer', 'dom', 'fields', 'items', 'rich-text', 'server'].map(
    (name) => [`${name}.js`, 'text/javascript'] as const,
  ),
] as const

/** Reads the files of the page; returns a lookup by path, where `/` and every chat have the page itself. */
export function pageFiles(): (path: string) => PageFile | undefined {
  const files = new Map(
    PAGE_FILES.map(([name, type]): [string, PageFile] => {
      const body = readFileSync(new URL(`../page/${name}`, import.meta.url))
      return [`/${name}`, { type: `${type}; charset=utf-8`, body }]
    }),
  )
  return (path) => files.get(path === '/' || /^\/chats\/[\w-]+$/u.test(path) ? '/index.html' : path)
}
