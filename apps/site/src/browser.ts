import { existsSync } from 'node:fs'
import { chromium, type Browser, type Page } from 'playwright-core'
import type { Content } from './collect.ts'
import { addressOf } from './navigation.ts'
import type { Page as SitePage } from './page.ts'
import { serve } from './serve.ts'

/** Where Debian's package puts it; `X_CHROMIUM` names another place. */
const CHROMIUM_PATH = process.env['X_CHROMIUM'] ?? '/usr/bin/chromium'
const PHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 900 }
/** How many pages of every kind are opened. */
const LONGEST_PAGES = 4
/** A search, and the page that must be among its first results. */
const SEARCH = { words: 'budget', finds: 'Limits and budgets' }

/**
 * Reads a site in Chromium, on a desk and on a phone, light and dark, and searches. Returns what it has found to hold; throws
 * if a page writes an error, asks another host, or is wider than a phone.
 */
export async function readInBrowser(folder: string, base: string, content: Content): Promise<string[]> {
  const reason = missingChromium()
  if (reason !== null) return [`skipped: pages in a browser: ${reason}`]
  const server = await serve(folder, base)
  const origin = `http://127.0.0.1:${server.port}`
  const browser = await chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  try {
    const faults: string[] = []
    const watched = await watch(browser, origin, faults)
    await searchSite(watched, `${origin}${base}`)
    const colours = await coloursOf(watched, `${origin}${base}`)
    const read = pagesToRead(content).map(({ id }) => origin + addressOf(id, base))
    // Two at once take about half of the time.
    const half = Math.ceil(read.length / 2)
    await Promise.all([
      readOnPhone(watched, read.slice(0, half), faults),
      readOnPhone(await watch(browser, origin, faults), read.slice(half), faults),
    ])
    if (faults.length > 0) throw new Error(`the site in a browser:\n${faults.join('\n')}`)
    return [
      `a search for “${SEARCH.words}” finds “${SEARCH.finds}”`,
      `light and dark: ${colours.join(' and ')}`,
      `${read.length} pages fit a phone, write no error and ask no other host`,
    ]
  } finally {
    await browser.close()
    server.close()
  }
}

/** A page whose errors and requests to other hosts are noted. */
async function watch(browser: Browser, origin: string, faults: string[]): Promise<Page> {
  const page = await browser.newPage({ viewport: DESK })
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !url.startsWith('data:')) faults.push(`${page.url()} asks ${url}`)
  })
  return page
}

async function searchSite(page: Page, start: string): Promise<void> {
  await page.goto(start)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByPlaceholder('Search').fill(SEARCH.words)
  await page.locator('.pagefind-ui__result-link', { hasText: SEARCH.finds }).first().waitFor()
}

/** The background of the first page, light and dark; throws if they are the same. */
async function coloursOf(page: Page, start: string): Promise<string[]> {
  const colours: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(start)
    colours.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
  }
  if (colours[0] === colours[1]) throw new Error(`the site is ${colours[0]} in light and in dark`)
  return colours
}

/** The longest pages of every kind: opening all of them would take longer than building them. */
function pagesToRead({ chapters, apart, unlisted }: Content): SitePage[] {
  return [...chapters, ...apart, { pages: unlisted }].flatMap(({ pages }) =>
    pages.toSorted((a, b) => b.text.length - a.text.length).slice(0, LONGEST_PAGES),
  )
}

/** Opens pages as wide as a phone; what they are wide by is known before their pictures are there. */
async function readOnPhone(page: Page, addresses: readonly string[], faults: string[]): Promise<void> {
  await page.setViewportSize(PHONE)
  for (const address of addresses) {
    await page.goto(address, { waitUntil: 'domcontentloaded' })
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    if (width > PHONE.width) faults.push(`${address} is ${width} pixels wide on a phone of ${PHONE.width}`)
  }
}

/** Says why there is no browser; null when there is one. Where CI expects one, its absence is an error. */
function missingChromium(): string | null {
  if (existsSync(CHROMIUM_PATH)) return null
  const reason = `there is no \`${CHROMIUM_PATH}\`: install Debian's \`chromium\`, or name one by X_CHROMIUM`
  if ((process.env['X_CI_EXPECTS'] ?? '').split(',').includes('chromium'))
    throw new Error(`CI expects it, and ${reason}`)
  return reason
}
