import type { Page } from 'playwright-core'
import { runIdOf } from './sample-runs.ts'

/** A state of the page, as pictures and tests see it. */
export interface PageState {
  readonly name: string
  /** Hash of the address. */
  readonly hash: string
  /** Brings the page into the state. */
  readonly reach: (page: Page) => Promise<unknown>
}

const run = (index: number, step?: string): string =>
  `#/runs/${runIdOf(index)}${step === undefined ? '' : `?step=${step}`}`
const row = (words: string) => async (page: Page) => await page.getByRole('treeitem', { name: words }).first().waitFor()
const tab = (name: string) => async (page: Page) => {
  await page.getByRole('tab', { name }).click()
  await page.getByRole('tab', { name, selected: true }).waitFor()
}

/** All states of the page. */
export const PAGE_STATES: readonly PageState[] = [
  {
    name: 'runs',
    hash: '#/runs',
    reach: async (page) => await page.getByText('Plan a weekend in Lisbon').first().waitFor(),
  },
  {
    name: 'runs-found',
    hash: '#/runs?words=parcel',
    reach: async (page) => await page.getByText('Where is my parcel').waitFor(),
  },
  {
    name: 'runs-none',
    hash: '#/runs?words=zebra',
    reach: async (page) => await page.getByText('No run fits').waitFor(),
  },
  {
    name: 'runs-chosen',
    hash: '#/runs',
    reach: async (page) => {
      for (const words of ['What changed', 'Where is'])
        await page.getByRole('checkbox', { name: `Choose ${words}` }).check()
      await page.getByRole('link', { name: 'Compare' }).waitFor()
    },
  },
  { name: 'run', hash: run(0), reach: row('Plan a weekend') },
  { name: 'run-answer', hash: run(0, '1.1.answer'), reach: tab('Answer') },
  { name: 'run-prompt', hash: run(0, '1.3.answer'), reach: tab('Prompt') },
  { name: 'run-changes', hash: run(0, '1.5.answer'), reach: tab('Changes') },
  { name: 'run-settings', hash: run(0, '1.1.answer'), reach: tab('Settings') },
  { name: 'run-tool', hash: run(0, '1.2.0.span0'), reach: tab('Call') },
  {
    name: 'run-fork',
    hash: run(0, '1.5.answer'),
    reach: async (page) => await page.getByRole('button', { name: 'Go on from here' }).click(),
  },
  { name: 'run-group', hash: run(2), reach: row('A launch post') },
  {
    name: 'run-search',
    hash: run(4),
    reach: async (page) => {
      await page.getByRole('treeitem', { name: 'search' }).first().click()
      await tab('Tree')(page)
    },
  },
  { name: 'run-failed', hash: run(3), reach: row('Which region') },
  {
    name: 'run-waits',
    hash: run(1),
    reach: async (page) => {
      await page.getByRole('treeitem', { name: 'approval' }).click()
      await page.getByRole('button', { name: 'Approve' }).waitFor()
    },
  },
  {
    name: 'compare',
    hash: `#/compare/${runIdOf(0)}/${runIdOf(9)}`,
    reach: async (page) => await page.getByRole('heading', { name: 'Side by side' }).waitFor(),
  },
  {
    name: 'chat',
    hash: '#/chat/parrot',
    reach: async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).fill('Does it snow in Oslo?')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('2: Does it snow in Oslo?').waitFor()
    },
  },
]
