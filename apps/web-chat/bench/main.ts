/** Measures how long the page takes to be there, from loopback, in a browser that has kept nothing. Needs Chromium. */
// @boundaries-ignore both pages are measured alike
import { tellOpening } from '../../studio-page/bench/opening.ts'
// @boundaries-ignore the browser of all tests
import { startBrowser } from '../../studio-page/src/browser.fake.ts'
import { buildChatPage } from '../page/build.ts'
import { startExample } from '../src/example-server.fake.ts'
import { PAGE_STATES } from '../src/states.fake.ts'

const browser = await startBrowser()
await using example = await startExample()
try {
  const { name, reach } = PAGE_STATES[0]!
  await tellOpening(browser, { name, url: example.server.url, ready: reach, files: await buildChatPage() })
} finally {
  await browser.close()
}
