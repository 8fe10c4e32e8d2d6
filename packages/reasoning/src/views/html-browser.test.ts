import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { XEvent } from '@x/interfaces'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beam, searchSync, type SearchParts } from '../index.ts'
import { renderHtml } from './html.ts'

const CHROMIUM = process.env['X_CHROMIUM'] ?? '/usr/bin/chromium'
const expected = (process.env['X_CI_EXPECTS'] ?? '').split(',').includes('chromium')

const TAKE_OVER = `document.title='taken over'`
const HOSTILE = `</script><script>${TAKE_OVER}</script><img src=x onerror="${TAKE_OVER}"><!--<script>&lt;\u2028`

const parts: SearchParts = {
  proposer: {
    propose: ({ node }) => ({
      text: '',
      reflection: HOSTILE,
      options: [{ content: `good ${node.depth}` }, { content: HOSTILE, output: HOSTILE }],
    }),
  },
  grader: {
    grade: ({ nodes }) => ({
      grades: nodes.map(({ content }) => ({ value: content.startsWith('good') ? 0.9 : 0.1, details: HOSTILE })),
    }),
  },
  answerer: { answer: () => ({ text: `42 ${HOSTILE}` }) },
}

describe.skipIf(!expected && !existsSync(CHROMIUM))('the page of a tree, in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tree-'))
  const requests: string[] = []
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    const run = (beamSize: number): string => {
      const events: XEvent[] = []
      const method = beam({ beamSize, maxDepth: 2 })
      const result = searchSync(`Q ${HOSTILE}`, { ...parts, method, emit: (event) => void events.push(event) })
      return beamSize === 1
        ? renderHtml(result, { events })
        : renderHtml(result, { events, title: 'wide', beside: { run: result, title: HOSTILE } })
    }
    const file = join(folder, 'tree.html')
    writeFileSync(file, run(1))
    writeFileSync(join(folder, 'two.html'), run(2))
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
    page = await browser.newPage()
    page.on('request', (request) => requests.push(request.url()))
    page.on('pageerror', (error) => requests.push(error.message))
    await page.goto(pathToFileURL(file).href)
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    rmSync(folder, { recursive: true })
  })

  const shown = async (): Promise<string> => await page.locator('aside').innerText()
  const chosen = (): ReturnType<Page['locator']> => page.locator('[role=treeitem][aria-selected=true]')

  const step = (text: string): ReturnType<Page['locator']> => page.getByRole('tree').getByText(text, { exact: true })

  it('opens and shows a node by keyboard', async () => {
    await chosen().press('Home')
    expect(await shown()).toContain('Question')
    await chosen().press('ArrowDown')
    expect(await shown()).toMatch(/Step\s+good 0\s+Grade\s+0\.90/u)
    await chosen().press('ArrowLeft')
    expect(await chosen().getAttribute('aria-expanded')).toBe('false')
    await chosen().press('Enter')
    expect(await chosen().getAttribute('aria-expanded')).toBe('true')
    await chosen().press('ArrowRight')
    expect(await shown()).toMatch(/Step\s+good 1/u)
    expect(await chosen().evaluate((item) => item === item.ownerDocument.activeElement)).toBe(true)
  })

  it('opens and shows a node by mouse', async () => {
    await page.getByRole('button', { name: 'Close all' }).click()
    expect(await step('good 1').isVisible()).toBe(false)
    await step('good 0').click()
    await step('good 0').click()
    await step('good 1').click()
    expect(await shown()).toMatch(/Step\s+good 1\s+Grade\s+0\.90\s+The grader said/u)
  })

  const visible = (): Promise<number> => page.locator('[role=treeitem]:visible').count()

  it('ends the best path at the answer', async () => {
    await page.getByRole('button', { name: 'Best path' }).click()
    expect(await shown()).toMatch(/Answer\s+42/u)
    await page.locator('.text', { hasText: 'good 0' }).first().click()
    expect(await shown()).toMatch(/Cost\s+2 calls, 0 tokens/u)
  })

  it('is as wide as its window, also with long texts, and shows the beginning of each row', async () => {
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.getByRole('button', { name: 'Best path' }).click()
      expect(
        await page.evaluate('[document.documentElement.scrollWidth, document.querySelector("main").scrollLeft]'),
      ).toEqual([width, 0])
    }
  })

  it('searches the texts of all nodes, and filters them', async () => {
    await page.getByRole('button', { name: 'Close all' }).click()
    await page.getByRole('searchbox').fill('GOOD 1')
    expect(await step('good 1').isVisible()).toBe(true)
    expect(await page.locator('#count').innerText()).toBe('1 node')
    await page.getByRole('searchbox').fill('')
    await page.locator('#filter').selectOption('pruned')
    expect(await page.locator('#count').innerText()).toBe('2 nodes')
    await page.locator('#filter').selectOption('')
  })

  it('plays the search back', async () => {
    await page.getByRole('button', { name: 'Open all' }).click()
    const all = await visible()
    await page.locator('#step').fill('1')
    expect(await visible()).toBe(1)
    await page.locator('#step').fill('3')
    expect(await visible()).toBe(3)
    expect(await page.locator('.worth').nth(1).innerText()).toBe('–')
    const most = Number(await page.locator('#step').getAttribute('max'))
    await page.locator('#step').fill(String(most - 1))
    await page.getByRole('button', { name: 'Play' }).click()
    await page.locator('#play', { hasText: 'Play' }).waitFor()
    expect(await visible()).toBe(all)
  })

  it('shows two runs side by side', async () => {
    const other = await browser.newPage()
    await other.goto(pathToFileURL(join(folder, 'two.html')).href)
    expect(await other.getByRole('tree').count()).toBe(2)
    expect(await other.locator('h2').allInnerTexts()).toEqual(['wide', expect.stringContaining('</script>')])
    const [left, right] = await other.getByRole('tree').all()
    expect((await left!.boundingBox())!.x).toBeLessThan((await right!.boundingBox())!.x)
    expect(await other.title()).toBe('Tree of thoughts')
    await other.close()
  })

  it('shows texts of models as text, and sends no request', async () => {
    await page.getByRole('button', { name: 'Open all' }).click()
    await page.locator('.text', { hasText: '</script>' }).nth(1).click()
    expect(await shown()).toContain(`onerror="${TAKE_OVER}"`)
    expect(await page.title()).toBe('Tree of thoughts')
    expect(await page.locator('img').count()).toBe(0)
    expect(requests).toEqual([expect.stringMatching(/^file:.*tree\.html$/u)])
  })
})
