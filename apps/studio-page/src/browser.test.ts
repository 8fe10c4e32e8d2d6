import { readFileSync } from 'node:fs'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingBrowser, openPage, startBrowser } from './browser.fake.ts'
import { GUIDE_PICTURES, pictureServer, wordsOf } from './picture.fake.ts'
import { runIdOf } from './sample-runs.ts'
import { PAGE_STATES } from './states.fake.ts'

/** Returns what axe finds wrong in a page, with the places. */
async function faultsOf(page: Page): Promise<unknown[]> {
  await page.evaluate(axe.source)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; any: { message: string }[] }[] }[] }>
      }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
    )
  })
}

describe.skipIf(missingBrowser())('the page of runs in a browser', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof pictureServer>>
  beforeAll(async () => {
    ;[browser, server] = await Promise.all([startBrowser(), pictureServer()])
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await server[Symbol.asyncDispose]()
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
      async ({ hash, reach }) => {
        await page.goto('about:blank')
        await page.goto(`${server.url}/${hash}`)
        await reach(page)
        expect(await faultsOf(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width)
      },
    )
  }

  it.each(Object.entries(GUIDE_PICTURES))('has the words of docs/pictures/%s.png', async (name, { state, view }) => {
    const page = await openPage(browser, `${server.url}/${state.hash}`, view)
    await state.reach(page)
    const file = new URL(`../../../docs/pictures/${name}.txt`, import.meta.url)
    expect(await wordsOf(page), 'make it anew: node --conditions=@x/source apps/studio-page/bench/picture.ts').toBe(
      readFileSync(file, 'utf8'),
    )
    await page.close()
  })

  it('shows what models wrote as text', async () => {
    const page = await openPage(browser, `${server.url}/#/runs/${runIdOf(8)}`, { width: 1440 })
    await page.getByRole('treeitem', { name: 'onerror' }).click()
    await page.getByRole('tabpanel').getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await page.locator('#main img, #main script, #main b:has-text("CSP")').count()).toBe(0)
    await page.close()
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
})
