/**
 * Makes the pictures of the page in `docs/pictures`: single states for the guide, and for each state a sheet with three
 * widths in light and dark; each has its words beside it, which tests compare. Needs Chromium.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '../src/browser.fake.ts'
import { openPage } from '../src/page.fake.ts'
import { GUIDE_PICTURES, pictureServer, SHEETS, wordsOf } from '../src/picture.fake.ts'
import { PAGE_STATES } from '../src/states.fake.ts'
import { makeSheet, SHEET_WIDTH } from './sheet.ts'

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
  for (const state of PAGE_STATES) {
    if (!SHEETS.has(state.name)) continue
    await makeSheet(browser, fileOf(`studio-state-${state.name}.png`), async (view) => {
      const page = await openPage(browser, `${server.url}/${state.hash}`, view)
      await state.reach(page)
      const shot = await page.screenshot()
      if (view.width === SHEET_WIDTH) writeFileSync(fileOf(`studio-state-${state.name}.txt`), await wordsOf(page))
      await page.close()
      return shot
    })
  }
} finally {
  await browser.close()
}
