/**
 * Builds the site from the documents, doc comments and examples of the repository, and checks it.
 *
 *   pnpm site                         builds into apps/site/dist/site, and checks links and pages
 *   pnpm site --url https://a.b/c/    for this address; with a path alone, for any host
 *   pnpm site --out folder            into another folder
 *   pnpm site --serve                 serves it on this machine until it is stopped
 *
 * The check opens the pages in Chromium, if there is one.
 */
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPages } from './build.ts'
import { readInBrowser } from './browser.ts'
import { pageFaults } from './check-pages.ts'
import { collect } from './collect.ts'
import { writeLlms } from './llms.ts'
import { makeReference } from './reference.ts'
import { readPackages, root } from './repository.ts'
import { serve } from './serve.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '/' },
    out: { type: 'string', default: join(root, 'apps/site/dist/site') },
    serve: { type: 'boolean', default: false },
  },
})
const folder = resolve(values.out)
const cache = join(root, '.cache/site')
const { base, host } = placeOf(values.url)
const started = performance.now()
const passed = (what: string): void =>
  console.log(`ok  ${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`)

rmSync(folder, { recursive: true, force: true })
const packages = readPackages()
const entries = await makeReference(packages, join(cache, 'reference'))
passed(`the reference of ${entries.length} entries`)
const content = collect(packages, entries)
await buildPages(content, { folder, cache, base, host })
writeLlms(folder, base, content)
passed(`${content.pages.length} pages in ${folder}`)
const faults = pageFaults(folder, base)
if (faults.length > 0) throw new Error(`${faults.length} links of the site lead nowhere:\n${faults.join('\n')}`)
passed('all links lead somewhere')
for (const line of await readInBrowser(folder, base, content)) passed(line)
if (values.serve) console.log(`http://127.0.0.1:${(await serve(folder, base, 8080)).port}${base}`)

/** The parts of an address; a path alone is one on any host. */
function placeOf(address: string): { base: string; host: string | undefined } {
  const { origin, pathname } = new URL(address, 'http://any')
  const path = pathname.endsWith('/') ? pathname : `${pathname}/`
  return { base: path, host: origin === 'http://any' ? undefined : origin }
}
