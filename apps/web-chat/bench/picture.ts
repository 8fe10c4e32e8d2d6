/** Makes the pictures of the page in `docs/pictures` with their words beside them, which a test compares. Needs Chromium. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '../src/browser.fake.ts'
import { pictured, PICTURE_NAMES, wordsOf } from '../src/picture.fake.ts'

const browser = await startBrowser()
try {
  for (const name of PICTURE_NAMES) {
    const file = fileURLToPath(new URL(`../../../docs/pictures/${name}`, import.meta.url))
    await pictured(browser, name, async (page) => {
      await page.screenshot({ path: `${file}.png` })
      writeFileSync(`${file}.txt`, await wordsOf(page))
    })
  }
} finally {
  await browser.close()
}
