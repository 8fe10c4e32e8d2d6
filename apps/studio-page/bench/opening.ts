import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { openingTimes } from '../src/first-paint.fake.ts'

const OPENINGS = 15

interface Opening {
  readonly name: string
  readonly url: string
  /** Resolves when the page shows what it is opened for. */
  readonly ready: (page: Page) => Promise<unknown>
  /** The files of the page by their names. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Opens a page often, and tells the median times and the size of its script and styles. */
export async function tellOpening(browser: Browser, { name, url, ready, files }: Opening): Promise<void> {
  const found = await openingTimes(browser, url, { times: OPENINGS, ready })
  const median = (times: readonly number[]): string =>
    String(Math.round(times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!)).padStart(4)
  const kilobytes = (file: string): string => `${(gzipSync(files.get(file)!).length / 1000).toFixed(1)} kB`
  const paint = median(found.map((each) => each.paint))
  const shown = median(found.map((each) => each.shown))
  console.log(
    `${name.padEnd(12)} first paint ${paint} ms, all shown ${shown} ms, script ${kilobytes('page.js')}, styles ${kilobytes('page.css')} (gzip)`,
  )
}
