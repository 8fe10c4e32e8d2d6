import { readFileSync } from 'node:fs'

/** A file of the page. */
export interface PageFile {
  readonly type: string
  readonly body: Buffer
}

/** The files of the page by their paths, read once. */
export function pageFiles(): ReadonlyMap<string, PageFile> {
  const file = (name: string, type: string): PageFile => ({
    type: `${type}; charset=utf-8`,
    body: readFileSync(new URL(`../page/${name}`, import.meta.url)),
  })
  return new Map([
    ['/', file('index.html', 'text/html')],
    ['/page.js', file('page.js', 'text/javascript')],
    ['/page.css', file('page.css', 'text/css')],
  ])
}
