import { readFileSync } from 'node:fs'

/** A file of the page. */
export interface PageFile {
  readonly type: string
  readonly body: Buffer
}

const FILES = [
  ['index.html', 'text/html'],
  ['page.css', 'text/css'],
  ['items.css', 'text/css'],
  ['icon.svg', 'image/svg+xml'],
  ...['theme', 'page', 'chats', 'composer', 'dom', 'fields', 'items', 'rich-text', 'server'].map(
    (name) => [`${name}.js`, 'text/javascript'] as const,
  ),
] as const

/** The files of the page by their paths, read once; the page itself is that of `/` and of every chat. */
export function pageFiles(): (path: string) => PageFile | undefined {
  const files = new Map(
    FILES.map(([name, type]): [string, PageFile] => {
      const body = readFileSync(new URL(`../page/${name}`, import.meta.url))
      return [`/${name}`, { type: `${type}; charset=utf-8`, body }]
    }),
  )
  return (path) => files.get(path === '/' || /^\/chats\/[\w-]+$/u.test(path) ? '/index.html' : path)
}
