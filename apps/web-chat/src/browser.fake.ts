import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** Where Debian's package puts it; `X_CHROMIUM` names another place. */
const CHROMIUM = process.env['X_CHROMIUM'] ?? '/usr/bin/chromium'

/** Why there is no browser to test with; null when there is one. Where CI expects one, its absence is an error. */
export function missingBrowser(): string | null {
  if (existsSync(CHROMIUM)) return null
  const reason = `there is no \`${CHROMIUM}\`: install Debian's \`chromium\`, or name one by X_CHROMIUM`
  if ((process.env['X_CI_EXPECTS'] ?? '').split(',').includes('chromium'))
    throw new Error(`CI expects it, and ${reason}`)
  console.warn(`skipped: a real browser: ${reason}`)
  return reason
}

/** Starts it without a window. The tests open pages of their own only, so that root needs no sandbox. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
