import { XError } from '@x/kernel'

/** A file of the page. */
interface PageFile {
  readonly content: Uint8Array<ArrayBuffer>
  readonly type: string
  /** Its `etag`. */
  readonly tag: string
}

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

let loaded: Promise<ReadonlyMap<string, PageFile>> | undefined

/** Answers a request for a file of the page; undefined if it has no such file. */
export async function answerWithFile(request: Request, path: string): Promise<Response | undefined> {
  const file = (await (loaded ??= readFiles())).get(path === '/' ? 'index.html' : path.slice(1))
  if (!file) return undefined
  const headers = { 'content-type': file.type, etag: file.tag, 'cache-control': 'no-cache' }
  if (request.headers.get('if-none-match') === file.tag) return new Response(null, { status: 304, headers })
  return new Response(file.content, { headers })
}

async function readFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const contents = import.meta.url.endsWith('.ts') ? await madeFiles() : await builtFiles()
  const files = new Map<string, PageFile>()
  for (const [name, type] of Object.entries(TYPES)) {
    const content = contents.get(name)!
    const tag = `"${(await digestOf(new TextDecoder().decode(content))).slice(0, 16)}"`
    files.set(name, { content, type, tag })
  }
  return files
}

type Contents = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

/** Reads the files that the build has made. */
async function builtFiles(): Promise<Contents> {
  const { readFile } = process.getBuiltinModule('node:fs/promises')
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const name of Object.keys(TYPES)) {
    const url = new URL(`./page/${name}`, import.meta.url)
    try {
      files.set(name, new Uint8Array(await readFile(url)))
    } catch (cause) {
      throw new XError(
        'invalid-state',
        `cannot show the page: there is no \`${url.pathname}\`; keep the files of @x/studio together when you bundle`,
        { cause },
      )
    }
  }
  return files
}

/** Makes the files anew: a program that runs from the sources has the page of the sources. */
async function madeFiles(): Promise<Contents> {
  // A URL is no path that the bundler of the package would follow.
  const { href } = new URL('../page/build.ts', import.meta.url)
  const { buildPage } = (await import(href)) as { readonly buildPage: () => Promise<Contents> }
  return await buildPage()
}

/** A SHA-256 of a text, in hexadecimal digits. */
export async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
