/** Measures how long the page of runs takes to be there, from loopback, in a browser that has kept nothing. Needs Chromium. */
// @boundaries-ignore the script of the page
import { buildPage } from '../../../packages/studio/page/build.ts'
import { startBrowser } from '../src/browser.fake.ts'
import { pictureServer } from '../src/picture.fake.ts'
import { PAGE_STATES } from '../src/states.fake.ts'
import { tellOpening } from './opening.ts'

const browser = await startBrowser()
await using server = await pictureServer()
try {
  for (const name of ['runs', 'run', 'run-search']) {
    const { hash, reach } = PAGE_STATES.find((state) => state.name === name)!
    await tellOpening(browser, { name, url: `${server.url}/${hash}`, ready: reach, files: await buildPage() })
  }
} finally {
  await browser.close()
}
