/**
 * Makes the pictures of the page in `docs/pictures`: those of the guides, and for each state a sheet with three widths in
 * light and dark; each has its words beside it, which tests compare. Needs Chromium.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
// @boundaries-ignore the sheets of both pages are alike
import { makeSheet, SHEET_WIDTH } from '../../studio-page/bench/sheet.ts'
// @boundaries-ignore the browser of all tests
import { startBrowser } from '../../studio-page/src/browser.fake.ts'
import { pictured, PICTURE_NAMES, SHEETS, wordsOf } from '../src/picture.fake.ts'
import { inState, PAGE_STATES } from '../src/states.fake.ts'

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
      async (view) =>
        await inState(browser, state, view, async (page) => {
          const file = fileOf(`web-state-${state.name}.txt`)
          if (view.width === SHEET_WIDTH) writeFileSync(file, await wordsOf(page))
          return await page.screenshot()
        }),
    )
  }
} finally {
  await browser.close()
}
