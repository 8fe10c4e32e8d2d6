import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of a page that a check looks at. */
interface Page {
  readonly ids: ReadonlySet<string>
  readonly links: readonly string[]
  /** Addresses that the browser loads by itself. */
  readonly loads: readonly string[]
}

/** Finds links that lead nowhere, anchors included, and files that a page would load from other hosts. */
export function pageFaults(folder: string, base: string): string[] {
  const files = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/')),
  )
  const pages = new Map(
    [...files]
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, readPage(readFileSync(join(folder, file), 'utf8'))]),
  )
  const faults = new Set<string>()
  for (const [file, { links, loads }] of pages) {
    const own = `http://site${base}${file.replace(/(?:^|(?<=\/))index\.html$/u, '')}`
    for (const link of [...links, ...loads]) {
      const url = new URL(link, own)
      if (url.host !== 'site') {
        if (loads.includes(link)) faults.add(`${file} loads ${link} from another host`)
        continue
      }
      const fault = faultOf(url)
      if (fault) faults.add(`${file} leads to ${link}: ${fault}`)
    }
  }
  return [...faults]

  function faultOf({ pathname, hash }: URL): string | undefined {
    if (!pathname.startsWith(base)) return `it is outside of ${base}`
    const target = decodeURIComponent(pathname.slice(base.length))
    const page = /(?:^|\/)$/u.test(target) ? `${target}index.html` : target
    if (!files.has(page)) return 'there is no such file'
    const ids = pages.get(page)?.ids
    const anchor = decodeURIComponent(hash.slice(1))
    if (anchor && ids && !ids.has(anchor)) return 'the page has no such anchor'
    return undefined
  }
}

function readPage(html: string): Page {
  const ids = new Set<string>()
  const links: string[] = []
  const loads: string[] = []
  // Scripts and styles stand in the pages with texts that look like markup.
  const markup = html.replaceAll(/(<(script|style)\b[^>]*>)[^]*?<\/\2>/gu, '$1')
  for (const [, tag = '', attributes = ''] of markup.matchAll(
    /<([a-z][\w-]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/gu,
  )) {
    for (const [, name, value = ''] of attributes.matchAll(/\s(id|href|src)="([^"]*)"/gu)) {
      const text = value.replaceAll('&#38;', '&').replaceAll('&amp;', '&').replaceAll('&quot;', '"')
      if (name === 'id') ids.add(text)
      else if (name === 'src' || (tag === 'link' && !/rel="canonical"/u.test(attributes))) loads.push(text)
      else if (tag !== 'link') links.push(text)
    }
  }
  return { ids, links, loads }
}
