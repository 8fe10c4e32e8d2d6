import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
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
    const {
      trees,
      node: best,
      answer,
      status,
      used,
    } = searchSync(`Q ${HOSTILE}`, {
      ...parts,
      method: beam({ beamSize: 1, maxDepth: 2 }),
    })
    const file = join(folder, 'tree.html')
    writeFileSync(file, renderHtml(trees, { best, answer, status, used }))
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

  it('shows what models wrote as text, and asks for nothing', async () => {
    await page.getByRole('button', { name: 'Open all' }).click()
    await page.locator('.text', { hasText: '</script>' }).first().click()
    expect(await shown()).toContain(`onerror="${TAKE_OVER}"`)
    expect(await page.title()).toBe('Tree of thoughts')
    expect(await page.locator('img').count()).toBe(0)
    expect(requests).toEqual([expect.stringMatching(/^file:.*tree\.html$/u)])
  })
})
