/**
 * Makes the pictures of the page in `docs/pictures`: those of the guides with their words beside them, which a test compares, and
 * for each state a sheet with three widths in light and dark. Needs Chromium.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
// @boundaries-ignore the sheets of both pages are alike
import { makeSheet } from '../../studio-page/bench/sheet.ts'
// @boundaries-ignore the browser of all tests
import { startBrowser } from '../../studio-page/src/browser.fake.ts'
import { pictured, PICTURE_NAMES, wordsOf } from '../src/picture.fake.ts'
import { inState, PAGE_STATES } from '../src/states.fake.ts'

/** The states that have a sheet. */
const SHEETS = new Set([
  'empty',
  'answer',
  'files',
  'attached',
  'given',
  'approval',
  'edit',
  'group',
  'failed',
  'token',
])

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../docs/pictures/${name}`, import.meta.url))

const browser = await startBrowser()
try {
  for (const name of PICTURE_NAMES) {
    await pictured(browser, name, async (page) => {
      await page.screenshot({ path: fileOf(`${name}.png`) })
      writeFileSync(fileOf(`${name}.txt`), await wordsOf(page))
    })
  }
  for (const state of PAGE_STATES) {
    if (!SHEETS.has(state.name)) continue
    await makeSheet(
      browser,
      fileOf(`web-state-${state.name}.png`),
      async (view) => await inState(browser, state, view, async (page) => await page.screenshot()),
    )
  }
} finally {
  await browser.close()
}
