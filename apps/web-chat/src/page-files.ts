import { readFileSync } from 'node:fs'

/** A file of the page. */
export interface PageFile {
  readonly type: string
  readonly body: Uint8Array
}

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

/** Reads the files of the page; returns a lookup by path, where `/` and every chat have the page itself. */
export async function pageFiles(): Promise<(path: string) => PageFile | undefined> {
  const contents = import.meta.url.endsWith('.ts') ? await madePage() : builtFile
  const files = new Map(
    Object.entries(TYPES).map(([name, type]): [string, PageFile] => [`/${name}`, { type, body: contents(name) }]),
  )
  return (path) => files.get(path === '/' || /^\/chats\/[\w-]+$/u.test(path) ? '/index.html' : path)
}

/** Reads a file that the build of the image has made. */
const builtFile = (name: string): Uint8Array => readFileSync(new URL(`./page/${name}`, import.meta.url))

/** Makes the page anew; a program that runs from the sources has the page of the sources. */
async function madePage(): Promise<(name: string) => Uint8Array> {
  // A URL is no path that the bundler of the image would follow.
  const { href } = new URL('../page/build.ts', import.meta.url)
  const { buildChatPage } = (await import(href)) as {
    readonly buildChatPage: () => Promise<ReadonlyMap<string, Uint8Array>>
  }
  const files = await buildChatPage()
  return (name) => files.get(name)!
}
