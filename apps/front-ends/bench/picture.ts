/** Makes `docs/pictures/use-chat.png` with its words beside it, which a test compares with the page. Needs Chromium. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
// @boundaries-ignore the browser of all tests
import { startBrowser } from '../../studio-page/src/browser.fake.ts'
import { startChatServer } from '../src/chat-server.fake.ts'
import { pictured, wordsOf } from '../src/picture.fake.ts'

const file = fileURLToPath(new URL('../../../docs/pictures/use-chat', import.meta.url))
const browser = await startBrowser()
await using server = await startChatServer()
try {
  await pictured(browser, server, async (page) => {
    await page.screenshot({ path: `${file}.png` })
    writeFileSync(`${file}.txt`, await wordsOf(page))
  })
} finally {
  await browser.close()
}
