/** Makes `docs/pictures/web-chat.png` with its words beside it, which a test compares with the page. Needs Chromium. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '../src/browser.fake.ts'
import { pictured, wordsOf } from '../src/picture.fake.ts'

const file = fileURLToPath(new URL('../../../docs/pictures/web-chat', import.meta.url))
const browser = await startBrowser()
try {
  await pictured(browser, async (page) => {
    await page.screenshot({ path: `${file}.png` })
    writeFileSync(`${file}.txt`, await wordsOf(page))
  })
} finally {
  await browser.close()
}
