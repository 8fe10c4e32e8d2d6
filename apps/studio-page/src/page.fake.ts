import { listenOn } from '@x/kernel/node-http'
import type { KeptRun } from '@x/records'
import { studio, type StudioOptions } from '@x/studio'
import type { Browser, Page } from 'playwright-core'
import { SAMPLE_NOW, sourceOf } from './sample-runs.ts'

/** Serves the page with runs that are in memory. */
export async function serveRuns(runs: readonly KeptRun[], options: StudioOptions = {}): ReturnType<typeof listenOn> {
  return await listenOn(studio(sourceOf(runs), { title: 'runs.db', ...options }), { port: 0, host: '127.0.0.1' })
}

/** How a page is looked at. */
export interface View {
  readonly width: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
}

/** Opens the page at the noon of the sample, and fails the test when a script of it fails. */
export async function openPage(
  browser: Browser,
  url: string,
  { width, height = 900, scheme = 'light' }: View,
): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: scheme,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  await page.clock.setFixedTime(SAMPLE_NOW)
  page.on('pageerror', (error) => {
    throw error
  })
  await page.goto(url)
  return page
}
