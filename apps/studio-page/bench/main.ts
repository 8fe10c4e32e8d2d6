/**
 * Measures how long the page of runs takes to be there, from loopback, in a browser that has kept nothing, and how long runs are
 * opened. Needs Chromium.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listenOn } from '@x/kernel/node-http'
import { openRecords } from '@x/records'
import { studio } from '@x/studio'
// @boundaries-ignore the script of the page
import { buildPage } from '../../../packages/studio/page/build.ts'
import { startBrowser } from '../src/browser.fake.ts'
import { pictureServer } from '../src/picture.fake.ts'
import { PAGE_STATES } from '../src/states.fake.ts'
import { recordLongRun } from './long-run.ts'
import { tellOpening } from './opening.ts'

const browser = await startBrowser()
await using server = await pictureServer()
try {
  for (const name of ['runs', 'run', 'run-search']) {
    const { hash, reach } = PAGE_STATES.find((state) => state.name === name)!
    await tellOpening(browser, { name, url: `${server.url}/${hash}`, ready: reach, files: await buildPage() })
  }
  for (const events of [10_000, 100_000]) await tellLongRun(events)
} finally {
  await browser.close()
}

/** Opens a long run for the first time in its server and again, and chooses its last step by the keyboard. */
async function tellLongRun(events: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'studio-bench-'))
  const file = join(folder, 'runs.db')
  const runId = await recordLongRun(file, events)
  const records = openRecords({ file, readOnly: true })
  const shown = await listenOn(studio(records), { port: 0, host: '127.0.0.1' })
  const page = await browser.newPage()
  const timed = async (act: () => Promise<unknown>): Promise<string> => {
    const begun = performance.now()
    await act()
    return `${Math.round(performance.now() - begun)} ms`
  }
  const open = async (): Promise<void> => {
    await page.goto('about:blank')
    await page.goto(`${shown.url}/#/runs/${runId}`)
    await page.getByRole('treeitem').first().waitFor()
  }
  try {
    const [first, again] = [await timed(open), await timed(open)]
    const last = await timed(async () => {
      await page.getByRole('tree').press('End')
      await page.locator('[role=treeitem][aria-selected=true]').waitFor()
      await page.getByRole('tabpanel').waitFor()
    })
    console.log(`${events} events: opened in ${first}, again in ${again}, the last step in ${last}`)
  } finally {
    await page.close()
    await shown.close()
    records.close()
    rmSync(folder, { recursive: true })
  }
}
