import { chromium, type Browser } from 'playwright-core'

/** Path of Chromium in Debian; `X_CHROMIUM` overrides it. */
export const CHROMIUM_PATH: string = process.env['X_CHROMIUM'] ?? '/usr/bin/chromium'

/** Starts the browser without a window. The tests open only their own pages, so root needs no sandbox. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
