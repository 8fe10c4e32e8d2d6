import { chromium, type Browser } from 'playwright-core'

/** Path of Chromium in Debian; `X_CHROMIUM` overrides it. */
export const CHROMIUM_PATH: string = process.env['X_CHROMIUM'] ?? '/usr/bin/chromium'

/** True where a browser has to be: CI says so. */
export const isChromiumExpected: boolean = (process.env['X_CI_EXPECTS'] ?? '').split(',').includes('chromium')

/** Starts the browser without a window. The tests open only their own pages, so root needs no sandbox. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
