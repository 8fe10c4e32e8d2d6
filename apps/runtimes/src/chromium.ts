import { existsSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Row } from './try-all.ts'

/** Where Debian's package puts it; `X_CHROMIUM` names another place. */
const CHROMIUM = process.env['X_CHROMIUM'] ?? '/usr/bin/chromium'

/** Returns the reason why there is no browser; null when there is one. Where CI expects one, its absence is an error. */
export function missingChromium(): string | null {
  if (existsSync(CHROMIUM)) return null
  const reason = `there is no \`${CHROMIUM}\`: install Debian's \`chromium\`, or name one by X_CHROMIUM`
  if ((process.env['X_CI_EXPECTS'] ?? '').split(',').includes('chromium'))
    throw new Error(`CI expects it, and ${reason}`)
  return reason
}

/** Runs a bundle in a page of the server. */
export async function inChromium(bundle: string, url: string): Promise<Row[]> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    // A module that is imported has run, or says why not; one in an added tag may still be waiting to run.
    return await page.evaluate(
      async (code) => {
        await import(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })))
        return await (globalThis as unknown as { rows: Promise<Row[]> }).rows
      },
      readFileSync(bundle, 'utf8'),
    )
  } finally {
    await browser.close()
  }
}
