import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
// @boundaries-ignore the browser of all tests
import { missingBrowser, startBrowser } from '../../studio-page/src/browser.fake.ts'
import { startChatServer, type ChatServer } from './chat-server.fake.ts'
import { pictured, wordsOf } from './picture.fake.ts'

describe.skipIf(missingBrowser())('`useChat` in a browser', () => {
  let browser: Browser
  let server: ChatServer
  let page: Page
  beforeAll(async () => {
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => await browser?.close())
  beforeEach(async () => {
    server = await startChatServer()
    page = await browser.newPage()
  })
  afterEach(async () => {
    await page.close()
    await server[Symbol.asyncDispose]()
  })

  const open = async (api: string, more = ''): Promise<void> =>
    void (await page.goto(`${server.url}/?api=/ui/${api}${more}`))
  const say = async (text: string): Promise<void> => {
    await page.locator('input').fill(text)
    await page.locator('input').press('Enter')
  }
  const see = async (text: string): Promise<void> => await page.getByText(text).first().waitFor()
  const ready = async (): Promise<void> => await page.locator('output', { hasText: /^ready$/u }).waitFor()

  describe.each(['own', 'kept', 'hosted'])('of a run (%s)', (api) => {
    it(
      'shows texts, calls, agents inside them and usage, and decides on what they ask',
      { timeout: 60_000 },
      async () => {
        await open(api)
        await say('weather and refund and ask and expert')
        await see('weather output-available {} {"celsius":6}')
        await ready()
        await page.getByText('Allow refund').first().click()
        await page.getByText('Deny refund').click()
        await page.getByText('Blue').click()
        await see('I was told: weather and refund and ask and expert.')
        await ready()
        const calls = await page.locator('main > article > .call').allTextContents()
        expect(calls.toSorted()).toEqual([
          'ask output-available {} "blue"',
          'ask_person output-available {"prompt":"Which colour?"} "blue"',
          'expert output-available {"question":"inner refund"} "I was told: inner refund."',
          'refund output-available {} "refunded"',
          'refund output-denied {} null',
          'weather output-available {} {"celsius":6}',
        ])
        expect(await page.locator('main > article').count()).toBe(2)
        await see('expert is done')
        await see('tokens, answered')
      },
    )

    it('tells of an error in words of the server', { timeout: 60_000 }, async () => {
      await open(api)
      await say('fail')
      await see('error: Something went wrong.')
      await say('again')
      await see('You said: again.')
    })
  })

  it('says what the picture of the documents says; `bench/picture.ts` renews it', { timeout: 60_000 }, async () => {
    const words = readFileSync(new URL('../../../docs/pictures/use-chat.txt', import.meta.url), 'utf8')
    expect(await pictured(browser, server, wordsOf)).toBe(words)
  })

  it('stops the run by its button, and by going away', { timeout: 60_000 }, async () => {
    await open('own')
    await say('wait')
    await see('The first ')
    await page.getByText('Stop').click()
    await expect.poll(() => server.left).toEqual(['aborted'])
    await ready()
    await say('wait')
    await page.getByText('The first ').nth(1).waitFor()
    await page.goto('about:blank')
    await expect.poll(() => server.left).toEqual(['aborted', 'aborted'])
  })

  it.each(['hosted', 'kept'])(
    'has the whole answer of a run (%s) after it was loaded again in the middle',
    { timeout: 60_000 },
    async (api) => {
      await open(api, '&resume')
      await ready()
      await say('wait')
      await see('The first')
      await open(api, '&resume')
      await see('The first')
      server.goOn()
      await see('The first and the second half.')
      await ready()
      expect(await page.locator('main > article').count()).toBe(1)
    },
  )
})
