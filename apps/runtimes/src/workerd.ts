import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parsed } from './programs.ts'
import type { Scratch } from './scratch.ts'
import type { Row } from './try-all.ts'

/** The part of miniflare that is used. */
interface Miniflare {
  dispatchFetch(url: string): Promise<{ text(): Promise<string> }>
  dispose(): Promise<void>
}

/** The compatibility date and flags of a worker. */
export interface Compatibility {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
}

/** Asks a bundled worker in workerd for its rows. */
export async function inWorkerd(
  scratch: Scratch,
  bundle: string,
  compatibility: Compatibility,
  url: string,
): Promise<Row[]> {
  const module = pathToFileURL(join(scratch.packageOf('miniflare'), 'dist/src/index.js')).href
  const { Miniflare } = ((await import(module)) as { default: { Miniflare: new (options: object) => Miniflare } })
    .default
  const worker = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: readFileSync(bundle, 'utf8') }],
    ...compatibility,
    handleRuntimeStdio: () => {},
  })
  try {
    const text = await (await worker.dispatchFetch(`http://worker/?server=${encodeURIComponent(url)}`)).text()
    return parsed(text) ?? [{ name: 'its report', fault: text }]
  } finally {
    await worker.dispose()
  }
}
