import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, tool } from '@x/agent'
import type { ModelEvent } from '@x/interfaces'
import { listenOn } from '@x/kernel/node-http'
import { openRecords } from '@x/records'
import { studio } from '@x/studio'
import { functionModel } from '@x/testing'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, missingBrowser, startBrowser } from './browser.fake.ts'
import { openingTimes } from './first-paint.fake.ts'
import { openPage, serveRuns } from './page.fake.ts'
import { GUIDE_PICTURES, pictureServer, SHEETS, wordsOf } from './picture.fake.ts'
import { runIdOf } from './sample-runs.ts'
import { PAGE_STATES } from './states.fake.ts'

const FINISH: ModelEvent = { type: 'finish', index: 0, reason: 'stop' }

/** Expects that a picture shows the words of today. */
function expectWords(picture: string, words: string): void {
  const file = new URL(`../../../docs/pictures/${picture}.txt`, import.meta.url)
  const told = 'make it anew: node --conditions=@x/source apps/studio-page/bench/picture.ts'
  expect(words, told).toBe(readFileSync(file, 'utf8'))
}

describe.skipIf(missingBrowser())('the page of runs in a browser', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof pictureServer>>
  /** The same page, in which nobody has chatted: chats are runs of the list. */
  let untouched: typeof server
  beforeAll(async () => {
    ;[browser, server, untouched] = await Promise.all([startBrowser(), pictureServer(), pictureServer()])
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await Promise.all([server[Symbol.asyncDispose](), untouched[Symbol.asyncDispose]()])
  })

  const views = [
    { width: 1440, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const

  for (const view of views) {
    let page: Page
    beforeAll(async () => {
      page = await openPage(browser, 'about:blank', view)
    })
    it.each(PAGE_STATES)(
      `has no fault of access and no width beyond ${view.width} pixels: $name`,
      async ({ name, hash, reach }) => {
        await page.goto('about:blank')
        await page.goto(`${server.url}/${hash}`)
        await reach(page)
        expect(await faultsOf(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width)
        if (view.scheme === 'light' && SHEETS.has(name)) expectWords(`studio-state-${name}`, await wordsOf(page))
      },
    )
  }

  it.each(Object.entries(GUIDE_PICTURES))('has the words of docs/pictures/%s.png', async (name, { state, view }) => {
    const page = await openPage(browser, `${untouched.url}/${state.hash}`, view)
    await state.reach(page)
    expectWords(name, await wordsOf(page))
    await page.close()
  })

  it('shows what models wrote as text', async () => {
    const page = await openPage(browser, `${server.url}/#/runs/${runIdOf(8)}`, { width: 1440 })
    await page.getByRole('treeitem', { name: 'onerror' }).click()
    await page.getByRole('tabpanel').getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await page.locator('#main img, #main script, #main b:has-text("CSP")').count()).toBe(0)
    await page.close()
  })

  it('grows with a run that another process records, in the list and in the run, without a reload', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'studio-live-'))
    const file = join(folder, 'runs.db')
    const [looks, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const look = tool({
      name: 'look',
      description: 'Looks out of the window.',
      parameters: { type: 'object', properties: {} },
      async execute() {
        await looks.promise
        return 'clouds'
      },
    })
    const model = functionModel(async ({ messages }) => {
      if (messages.at(-1)?.role !== 'tool')
        return { tool_calls: [{ id: 'l', function: { name: 'look', arguments: '{}' } }] }
      await answers.promise
      return 'It will rain.'
    })
    const writer = openRecords(file)
    const reader = openRecords({ file, readOnly: true })
    const shown = await listenOn(studio(reader), { port: 0, host: '127.0.0.1' })
    const page = await browser.newPage()
    let loads = 0
    page.on('load', () => void loads++)
    try {
      await page.goto(shown.url)
      await page.getByRole('heading', { name: 'Nothing is recorded' }).waitFor()
      const long = { name: 'watch'.repeat(12), tracer: writer.tagged({ of: 'harbour'.repeat(60) }) }
      const said = createAgent({ name: long.name, model }).run('Will it rain?', { tools: look, tracer: long.tracer })
      await page.getByRole('link', { name: 'Will it rain?' }).click()
      const step = (name: string): Locator => page.getByRole('treeitem').filter({ hasText: name })
      await step('look').filter({ hasText: 'running' }).waitFor()
      expect(await page.getByText('clouds').count()).toBe(0)
      looks.resolve()
      await step('look').filter({ hasText: 'clouds' }).waitFor()
      expect(await page.getByText('It will rain.').count()).toBe(0)
      answers.resolve()
      await said
      await step('It will rain.').waitFor()
      await page.locator('.head').getByText('done').waitFor()
      expect(await page.getByText('running').count()).toBe(0)
      expect(loads).toBe(1)
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      await step('It will rain.').click()
      const close = page.getByRole('button', { name: 'Close the step' })
      const { x, width } = (await close.boundingBox())!
      expect(x + width).toBeLessThan(390)
      await close.press('Enter')
      expect(await page.evaluate('document.activeElement.role')).toBe('tree')
    } finally {
      await page.close()
      await shown.close()
      for (const each of [writer, reader]) each.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('empties the search when a link leads to all runs, and has words for an address that leads nowhere', async () => {
    const page = await openPage(browser, `${server.url}/#/runs`, { width: 1440 })
    await page.getByLabel('Search').fill('zebra')
    await page.getByRole('link', { name: 'Show all runs' }).click()
    await page.getByText('Plan a weekend in Lisbon').first().waitFor()
    expect(await page.getByLabel('Search').inputValue()).toBe('')
    await page.evaluate(`location.hash = '#/nowhere'`)
    await page.getByText('There is no such page').waitFor()
    await page.evaluate(`location.hash = '#/runs/%'`)
    await page.getByText('There is no run `%`').waitFor()
    await page.close()
  })

  it('leaves a chat where a person reads while an answer comes, whose words run in the direction of their script', async () => {
    const more = Promise.withResolvers<void>()
    const text = (words: string): ModelEvent => ({ type: 'textDelta', index: 0, text: words })
    const stream = [text('שלום!\n\n'.repeat(60)), more.promise, text('The end.'), FINISH]
    const poet = createAgent({ name: 'poet', model: functionModel(() => ({ stream })) })
    const shown = await serveRuns([], { agents: { poet } })
    const page = await openPage(browser, `${shown.url}/#/chat`, { width: 1440, height: 500 })
    await page.getByLabel('Message').fill('A poem, please.')
    await page.getByLabel('Message').press('Enter')
    const talk = page.getByRole('log')
    const scrolled = async (): Promise<number> => await talk.evaluate(({ scrollTop }) => scrollTop)
    await expect.poll(scrolled).toBeGreaterThan(0)
    const indent = await page.evaluate<number>(`(() => {
      const [, line] = document.querySelectorAll('.talk .rich p')
      const words = document.createRange()
      words.selectNodeContents(line)
      return line.getBoundingClientRect().right - words.getBoundingClientRect().right
    })()`)
    expect(indent).toBeLessThan(2)
    await talk.evaluate((log) => log.scrollTo(0, 0))
    await expect.poll(scrolled).toBe(0)
    more.resolve()
    await page.getByText('The end.').waitFor()
    expect(await scrolled()).toBe(0)
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await shown.close()
    await page.getByLabel('Message').fill('Another one.')
    await page.getByLabel('Message').press('Enter')
    await page.getByText('The studio does not answer.').waitFor()
    await page.close()
  })

  it('keeps a chat while a person looks at its run', async () => {
    const echo = createAgent({
      name: 'echo',
      model: functionModel(({ messages }) => `${messages.length}: ${JSON.stringify(messages.at(-1)?.content)}`),
    })
    const shown = await serveRuns([], { agents: { echo } })
    const page = await openPage(browser, `${shown.url}/#/chat`, { width: 1440 })
    await page.getByLabel('Message').fill('one')
    await page.getByLabel('Message').press('Enter')
    await page.getByRole('link', { name: 'Look at the last turn' }).click()
    await page.getByRole('link', { name: 'Chat' }).click()
    await page.getByText('2: "one"').waitFor()
    await page.getByLabel('Message').fill('two')
    await page.getByLabel('Message').press('Enter')
    await page.getByText('4: "two"').waitFor()
    await page.close()
    await shown.close()
  })

  it('paints first within 300 ms of its request', async () => {
    const { hash, reach } = PAGE_STATES.find(({ name }) => name === 'runs')!
    const found = await openingTimes(browser, `${server.url}/${hash}`, { times: 5, ready: reach })
    expect(Math.min(...found.map(({ paint }) => paint))).toBeLessThan(300)
  })

  it('is walked by the keyboard alone', async () => {
    const page = await openPage(browser, `${server.url}/#/runs/${runIdOf(0)}`, { width: 1440 })
    const tree = page.getByRole('tree', { name: 'Steps of the run' })
    await tree.focus()
    const chosen = page.locator('[role=treeitem][aria-selected=true]')
    for (const words of ['user → planner', 'planner', 'weather', 'trains']) {
      await page.keyboard.press('ArrowDown')
      await expect.poll(async () => await chosen.locator('b').innerText()).toBe(words)
    }
    await page.keyboard.press('ArrowLeft')
    await expect.poll(async () => await chosen.locator('b').innerText()).toBe('user → planner')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(async () => await page.getByRole('treeitem').count()).toBe(1)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('End')
    await expect.poll(async () => await chosen.getAttribute('aria-posinset')).toBe('10')
    await page.getByRole('tab', { name: 'Answer' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: 'Prompt', selected: true }).waitFor()
    await page.close()
  })

  it('names no step as that of the keyboard that is not in the page', async () => {
    const page = await openPage(browser, `${server.url}/#/runs/${runIdOf(4)}`, { width: 1440, height: 300 })
    const tree = page.getByRole('tree', { name: 'Steps of the run' })
    const step = page.locator('[role=treeitem][aria-selected=true]')
    await tree.press('End')
    await step.waitFor()
    await tree.evaluate((list) => list.scrollTo(0, 0))
    await step.waitFor({ state: 'detached' })
    expect(await faultsOf(page)).toEqual([])
    await page.getByPlaceholder('Find').fill('no step has this')
    await page.getByPlaceholder('Find').fill('')
    await step.waitFor()
    await page.close()
  })
})
