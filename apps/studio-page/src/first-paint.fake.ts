import type { Browser, Page } from 'playwright-core'

/** Times of an opened page in milliseconds from its request on: the first thing that is painted, and what it is opened for. */
export interface OpeningTimes {
  readonly paint: number
  readonly shown: number
}

/** Opens a page in a browser that has kept nothing of it, as often as is said; returns the times of each opening. */
export async function openingTimes(
  browser: Browser,
  url: string,
  { times, ready }: { readonly times: number; readonly ready: (page: Page) => Promise<unknown> },
): Promise<readonly OpeningTimes[]> {
  const found: OpeningTimes[] = []
  for (let opened = 0; opened < times; opened++) {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(url)
    await ready(page)
    const shown = await page.evaluate<number>('performance.now()')
    const paint = await page.evaluate<number>(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity`,
    )
    found.push({ paint, shown })
    await context.close()
  }
  return found
}
