import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '@x/agent'
import { openRecords } from '@x/records'
import { functionModel } from '@x/testing'
import type { Page } from 'playwright-core'
import { serveRuns, type View } from './page.fake.ts'
import { sampleRuns } from './sample-runs.ts'
import { PAGE_STATES, type PageState } from './states.fake.ts'

const stateOf = (name: string): PageState => PAGE_STATES.find((state) => state.name === name)!

/** The pictures of the guide. */
export const GUIDE_PICTURES: Readonly<Record<string, { readonly state: PageState; readonly view: View }>> = {
  'studio-runs': { state: stateOf('runs'), view: { width: 1200, height: 760 } },
  'studio-run': { state: stateOf('run-prompt'), view: { width: 1200, height: 880 } },
  'studio-search': { state: stateOf('run-search'), view: { width: 1200, height: 880, scheme: 'dark' } },
  'studio-compare': { state: stateOf('compare'), view: { width: 1200, height: 620 } },
}

/** The states that have a sheet. */
export const SHEETS: ReadonlySet<string> = new Set([
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

const parrot = createAgent({
  name: 'parrot',
  model: functionModel(({ messages }) => `${messages.length}: ${messages.at(-1)!.content as string}`),
})

/** Serves the runs of the sample, with everything that a page can have: forks, decisions and an agent to chat with. */
export async function pictureServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'studio-page-'))
  const records = openRecords(join(folder, 'forks.jsonl'))
  const server = await serveRuns(await sampleRuns(), {
    agents: { parrot },
    program: async () => await Promise.resolve(),
    host: { decide: async () => await Promise.resolve() },
    records,
  })
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server.close()
      records.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Durations: steps that run at once do not always end in the same order. */
const DURATION = /\b\d+(?:\.\d+)? m?s\b/gu

/** The words of the page, which are the same on every machine. */
export async function wordsOf(page: Page): Promise<string> {
  return `${(await page.locator('main').innerText()).trim().replaceAll(DURATION, '… s')}\n`
}
