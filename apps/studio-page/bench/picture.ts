/**
 * Makes the pictures of the page in `docs/pictures`: single states for the guide, with their words beside them, and for each state
 * a sheet with three widths in light and dark. Needs Chromium.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openPage, startBrowser } from '../src/browser.fake.ts'
import { GUIDE_PICTURES, pictureServer, wordsOf } from '../src/picture.fake.ts'
import { PAGE_STATES, type PageState } from '../src/states.fake.ts'

const WIDTHS = [
  { width: 1440, height: 900, shown: 600 },
  { width: 820, height: 900, shown: 342 },
  { width: 390, height: 844, shown: 176 },
]

/** The states that have a sheet. */
const SHEETS = new Set([
  'runs',
  'runs-none',
  'run',
  'run-prompt',
  'run-changes',
  'run-fork',
  'run-group',
  'run-search',
  'run-waits',
  'run-failed',
  'compare',
  'chat',
])

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../docs/pictures/${name}`, import.meta.url))

const browser = await startBrowser()
await using server = await pictureServer()
try {
  for (const [name, { state, view }] of Object.entries(GUIDE_PICTURES)) {
    const page = await openPage(browser, `${server.url}/${state.hash}`, view)
    await state.reach(page)
    await page.screenshot({ path: fileOf(`${name}.png`) })
    writeFileSync(fileOf(`${name}.txt`), await wordsOf(page))
    await page.close()
  }
  for (const state of PAGE_STATES) if (SHEETS.has(state.name)) await makeSheet(browser, state)
} finally {
  await browser.close()
}

/** Puts a state at three widths, in light and dark, into one picture. */
async function makeSheet(browser: Browser, state: PageState): Promise<void> {
  const rows: string[] = []
  for (const scheme of ['light', 'dark'] as const) {
    const shots: string[] = []
    for (const { width, height, shown } of WIDTHS) {
      const page = await openPage(browser, `${server.url}/${state.hash}`, { width, height, scheme })
      await state.reach(page)
      const shot = await page.screenshot()
      shots.push(`<img width="${shown}" src="data:image/png;base64,${shot.toString('base64')}">`)
      await page.close()
    }
    rows.push(`<div>${shots.join('')}</div>`)
  }
  const sheet = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  const style =
    'body{margin:0}main{padding:12px 12px 1px;background:#808490;width:max-content}div{display:flex;gap:12px;align-items:start;margin-bottom:12px}img{border-radius:8px}'
  await sheet.setContent(`<style>${style}</style><main>${rows.join('')}</main>`)
  await sheet.locator('main').screenshot({ path: fileOf(`studio-state-${state.name}.png`) })
  await sheet.close()
}
