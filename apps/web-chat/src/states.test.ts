import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { functionModel } from '@x/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @boundaries-ignore the browser of all tests
import { faultsOf, missingBrowser, startBrowser } from '../../studio-page/src/browser.fake.ts'
// @boundaries-ignore both pages are measured alike
import { openingTimes } from '../../studio-page/src/first-paint.fake.ts'
import { startExample } from './example-server.fake.ts'
import { SHEETS, wordsOf } from './picture.fake.ts'
import { GIVEN_FILES, inState, PAGE_STATES, png } from './states.fake.ts'

describe.skipIf(missingBrowser())('each state of the page', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  }, 60_000)
  afterAll(() => browser.close())

  for (const view of [
    { width: 1200, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const) {
    it.each(PAGE_STATES)(
      `has no fault of access and no width beyond ${view.width} pixels: $name`,
      async (state) =>
        await inState(browser, state, view, async (page) => {
          expect(await faultsOf(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width)
          if (view.scheme !== 'light' || !SHEETS.has(state.name)) return
          const file = new URL(`../../../docs/pictures/web-state-${state.name}.txt`, import.meta.url)
          const told = 'make it anew: node --conditions=@x/source apps/web-chat/bench/picture.ts'
          expect(await wordsOf(page), told).toBe(readFileSync(file, 'utf8'))
        }),
    )
  }

  it.each(['approval', 'group'])('has its buttons in view on a phone: %s', async (name) => {
    const state = PAGE_STATES.find((each) => each.name === name)!
    await inState(browser, state, { width: 390, height: 640 }, async (page) => {
      if (name === 'group') {
        await page.getByRole('button', { name: 'Stay silent' }).click()
        await page.getByRole('button', { name: 'Allow' }).waitFor()
      }
      const footer = (await page.locator('footer').boundingBox())!
      for (const button of ['Allow', 'Deny']) {
        const box = (await page.getByRole('button', { name: button }).boundingBox())!
        expect(box.y).toBeGreaterThan(0)
        expect(box.y + box.height).toBeLessThanOrEqual(footer.y)
      }
      // Also while a long form is read from its beginning.
      await page.getByRole('button', { name: 'Allow' }).evaluate((node) => node.closest('article')!.scrollIntoView())
      const box = (await page.getByRole('button', { name: 'Allow' }).boundingBox())!
      expect(box.y + box.height).toBeLessThanOrEqual(footer.y)
    })
  })

  it('lets a page with an old token in again by the address that the server has printed', async () => {
    const state = PAGE_STATES.find(({ name }) => name === 'list')!
    await inState(browser, state, { width: 1200 }, async (page) => {
      const address = page.url()
      await page.evaluate(`location.hash = 'of-an-earlier-start'`)
      await page.getByLabel('Address or token').fill(address)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.locator('article.assistant', { hasText: 'Yes.' }).waitFor()
      expect(page.url()).toBe(address)
    })
  })

  it('paints first within 300 ms of its request', async () => {
    await using example = await startExample()
    const ready = PAGE_STATES[0]!.reach
    const found = await openingTimes(browser, example.server.url, { times: 5, ready })
    expect(Math.min(...found.map(({ paint }) => paint))).toBeLessThan(300)
  })

  it('says something with one press on what it proposes', async () => {
    await inState(browser, PAGE_STATES[0]!, { width: 1200 }, async (page) => {
      await page.getByRole('button', { name: 'What is the weather in Oslo?' }).click()
      await page.locator('article.assistant', { hasText: 'light rain' }).waitFor()
      expect(await page.locator('.suggestions').count()).toBe(0)
    })
  })

  it('asks with other words in a chat of its own, and again, and leaves the first chat as it is', async () => {
    const state = PAGE_STATES.find(({ name }) => name === 'tools')!
    await inState(browser, state, { width: 1200 }, async (page) => {
      const first = new URL(page.url()).pathname
      const lines = await page.locator('article').allInnerTexts()
      const second = page.locator('article.user', { hasText: 'Ask the group' })
      await second.getByRole('button', { name: 'Edit' }).click()
      await page.keyboard.press('Escape')
      await second.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Other words').fill('What is the weather in Bergen?')
      await page.getByRole('button', { name: 'Ask anew' }).click()
      await page.locator('article.assistant', { hasText: 'Bergen' }).waitFor()
      const forked = new URL(page.url()).pathname
      expect(forked).not.toBe(first)
      expect(await page.locator('article.user .said').allInnerTexts()).toEqual([
        'What is the weather in Oslo?',
        'What is the weather in Bergen?',
      ])
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.waitForURL((url) => url.pathname !== forked)
      await page.locator('article.assistant', { hasText: 'Bergen' }).waitFor()
      await page.goBack()
      await page.goBack()
      await page.waitForURL((url) => url.pathname === first)
      await expect.poll(() => page.locator('article').count()).toBe(lines.length)
      expect(await page.locator('#list a').count()).toBe(3)
    })
  })

  it('tries a failed turn again', async () => {
    let isBroken = true
    const model = functionModel(() => {
      if (isBroken) throw new Error('the model is not there')
      return 'Here I am.'
    })
    const state = PAGE_STATES.find(({ name }) => name === 'failed')!
    await inState(browser, { ...state, model }, { width: 390 }, async (page) => {
      isBroken = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator('article.assistant', { hasText: 'Here I am.' }).waitFor()
      expect(await page.locator('article.user .said').allInnerTexts()).toEqual(['Hello?'])
    })
  })

  it('draws the images of a tool, and offers its files', async () => {
    const state = PAGE_STATES.find(({ name }) => name === 'files')!
    await inState(browser, state, { width: 1200 }, async (page) => {
      const image = page.getByRole('img', { name: 'Picture image-1.png' })
      await expect
        .poll(() => image.evaluate((node) => (node as unknown as { readonly naturalWidth: number }).naturalWidth))
        .toBe(240)
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'clouds.csv' }).click()
      const file = await download
      expect(file.suggestedFilename()).toBe('clouds.csv')
      expect(readFileSync(await file.path(), 'utf8')).toBe('hour,clouds\n12,0.4\n')
    })
  })

  it('gives files with a message: chosen, pasted and dropped, by the keyboard alone, and says what it cannot take', async () => {
    const heard: unknown[] = []
    const model = functionModel(({ messages }) => {
      heard.push(messages.at(-1)!.content)
      return 'Seen.'
    })
    await inState(browser, { name: 'any', model, reach: async () => {} }, { width: 1200 }, async (page) => {
      const chips = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem')
      const status = page.locator('#status')
      /** Lets an event bring files, as a browser does. */
      const bring = async (type: 'paste' | 'drop', name: string, content: string): Promise<void> =>
        await page.evaluate(
          ([event, fileName, text]) => {
            const page = globalThis as unknown as {
              DataTransfer: new () => { items: { add(file: File): void } }
              DragEvent: new (type: string, init: object) => Event
              ClipboardEvent: new (type: string, init: object) => Event
              document: { activeElement: EventTarget }
            }
            const data = new page.DataTransfer()
            data.items.add(new File([text], fileName))
            const init = { bubbles: true, cancelable: true }
            page.document.activeElement.dispatchEvent(
              event === 'drop'
                ? new page.DragEvent('drop', { ...init, dataTransfer: data })
                : new page.ClipboardEvent('paste', { ...init, clipboardData: data }),
            )
          },
          [type, name, content] as const,
        )
      const chooser = page.waitForEvent('filechooser')
      await page.getByLabel('Message').focus()
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await (await chooser).setFiles([...GIVEN_FILES])
      await expect.poll(() => chips.count()).toBe(2)
      await page.getByText(/^Attached: sky over Oslo\.png, \d+ k?B; clouds\.csv, 19 B$/u).waitFor({ state: 'attached' })
      await page.getByLabel('Message').focus()
      await bring('paste', 'pasted.txt', 'pasted words')
      await bring('drop', 'page.svg', '<svg onload="document.title=1"/>')
      await expect.poll(() => chips.count()).toBe(4)
      await bring('drop', 'a.zip', 'PK\u0003\u0004')
      await status.filter({ hasText: 'a.zip cannot be read: images (PNG' }).waitFor()
      await bring('drop', 'large.txt', 'x'.repeat(5_000_000))
      await status.filter({ hasText: 'large.txt is too large with the others' }).waitFor()
      await page.getByRole('button', { name: 'Remove clouds.csv' }).focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => chips.count()).toBe(3)
      await page.keyboard.type('What is all this?')
      await page.keyboard.press('Enter')
      await page.locator('article.assistant', { hasText: 'Seen.' }).waitFor()
      expect(await chips.count()).toBe(0)
      expect(heard).toEqual([
        [
          { type: 'text', text: 'What is all this?' },
          { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/u) as unknown } },
          { type: 'text', text: 'The file pasted.txt:\n\npasted words' },
          { type: 'text', text: 'The file page.svg:\n\n<svg onload="document.title=1"/>' },
        ],
      ])
      await page.reload()
      const image = page.getByRole('img', { name: 'Picture sky over Oslo.png' })
      await expect
        .poll(() => image.evaluate((node) => (node as unknown as { readonly naturalWidth: number }).naturalWidth))
        .toBe(240)
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'page.svg' }).click()
      const file = await download
      expect(file.suggestedFilename()).toBe('page.svg')
      expect(readFileSync(await file.path(), 'utf8')).toContain('<svg')
      expect(await page.title()).not.toBe('1')
    })
  })

  it('makes a large image smaller before it sends it', async () => {
    const heard: unknown[] = []
    const model = functionModel(({ messages }) => {
      heard.push(messages.at(-1)!.content)
      return 'Seen.'
    })
    await inState(browser, { name: 'any', model, reach: async () => {} }, { width: 390 }, async (page) => {
      const [width, height] = [2400, 600]
      const noise = png(width, height, randomBytes(width * height * 3))
      expect(noise.length).toBeGreaterThan(3_000_000)
      await page.locator('input[type=file]').setInputFiles({ name: 'noise.png', mimeType: 'image/png', buffer: noise })
      await page.getByRole('button', { name: 'Remove noise.jpg' }).waitFor()
      await page.getByRole('button', { name: 'Send' }).click()
      await page.locator('article.assistant', { hasText: 'Seen.' }).waitFor()
      const [
        {
          image_url: { url },
        },
      ] = heard[0] as [{ image_url: { url: string } }]
      expect(url).toMatch(/^data:image\/jpeg;base64,/u)
      expect(url.length).toBeLessThan(noise.length)
    })
  })

  it('copies an answer, and the code in it', async () => {
    const state = PAGE_STATES.find(({ name }) => name === 'answer')!
    await inState(browser, state, { width: 1200 }, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      const copied = async (press: ReturnType<Page['locator']>): Promise<unknown> => {
        await press.click()
        await page.getByRole('button', { name: 'Copied' }).first().waitFor()
        return await page.evaluate('navigator.clipboard.readText()')
      }
      expect(await copied(page.locator('figure').getByRole('button', { name: 'Copy' }))).toBe(
        "const days = ['Saturday', 'Sunday']\nconsole.log(days.length)",
      )
      expect(await copied(page.locator('.assistant .under').getByRole('button', { name: 'Copy' }))).toContain(
        '## A weekend in Oslo',
      )
    })
  })
})
