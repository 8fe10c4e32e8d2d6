/**
 * Makes the pictures of the page in `docs/pictures`: single states for the guide, with their words beside them, and for each state
 * a sheet with three widths in light and dark. Needs Chromium.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '../src/browser.fake.ts'
import { openPage } from '../src/page.fake.ts'
import { GUIDE_PICTURES, pictureServer, wordsOf } from '../src/picture.fake.ts'
import { PAGE_STATES } from '../src/states.fake.ts'
import { makeSheet } from './sheet.ts'

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
  for (const state of PAGE_STATES) {
    if (!SHEETS.has(state.name)) continue
    await makeSheet(browser, fileOf(`studio-state-${state.name}.png`), async (view) => {
      const page = await openPage(browser, `${server.url}/${state.hash}`, view)
      await state.reach(page)
      const shot = await page.screenshot()
      await page.close()
      return shot
    })
  }
} finally {
  await browser.close()
}
