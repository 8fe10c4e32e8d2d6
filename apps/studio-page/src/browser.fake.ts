import { existsSync } from 'node:fs'
import { listenOn } from '@x/kernel/node-http'
import type { KeptRun } from '@x/records'
import { studio, type StudioOptions } from '@x/studio'
import { type Browser, chromium, type Page } from 'playwright-core'
import { SAMPLE_NOW, sourceOf } from './sample-runs.ts'

/** Path of Chromium in Debian; `X_CHROMIUM` overrides it. */
const CHROMIUM_PATH = process.env['X_CHROMIUM'] ?? '/usr/bin/chromium'

/** Says why there is no browser for the tests; null when there is one. Throws if CI should have installed one. */
export function missingBrowser(): string | null {
  if (existsSync(CHROMIUM_PATH)) return null
  const reason = `there is no \`${CHROMIUM_PATH}\`: install Debian's \`chromium\`, or name one by X_CHROMIUM`
  if ((process.env['X_CI_EXPECTS'] ?? '').split(',').includes('chromium'))
    throw new Error(`CI expects it, and ${reason}`)
  console.warn(`skipped: a real browser: ${reason}`)
  return reason
}

/** Starts the browser without a window. The tests open only their own pages, so root needs no sandbox. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

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
