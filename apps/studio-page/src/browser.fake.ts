import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

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

/** Returns what axe finds wrong in a page, with the places. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run({ resultTypes: ['violations'] })`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
