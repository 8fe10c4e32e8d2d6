import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
// @boundaries-ignore the browser of all tests
import { missingBrowser, startBrowser } from '../../studio-page/src/browser.fake.ts'
import { startChatServer, type ChatServer } from './chat-server.fake.ts'

describe.skipIf(missingBrowser())('the client of AG-UI in a browser', () => {
  let browser: Browser
  let server: ChatServer
  let page: Page
  let warnings: string[]
  beforeAll(async () => {
    browser = await startBrowser()
  }, 60_000)
  afterAll(async () => await browser?.close())
  beforeEach(async () => {
    server = await startChatServer()
    page = await browser.newPage()
    warnings = []
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  })
  afterEach(async () => {
    await page.close()
    await server[Symbol.asyncDispose]()
  })

  const open = async (api: string, more = ''): Promise<void> =>
    void (await page.goto(`${server.url}/ag-ui?api=/ag-ui/${api}${more}`))
  const say = async (text: string): Promise<void> => {
    await page.locator('input').fill(text)
    await page.locator('input').press('Enter')
  }
  const see = async (text: string): Promise<void> => await page.getByText(text).first().waitFor()
  const ready = async (): Promise<void> => await page.locator('output', { hasText: /^ready$/u }).waitFor()
  const decide = async (question: string, choice: string): Promise<void> =>
    await page.locator('aside', { hasText: question }).first().getByText(choice, { exact: true }).click()

  describe.each(['own', 'kept', 'hosted'])('of a run (%s)', (api) => {
    it(
      'shows texts, calls, agents inside them and usage, and decides on what they ask',
      { timeout: 60_000 },
      async () => {
        await open(api)
        await say('weather and refund and ask and expert')
        await see('expert is suspended')
        await ready()
        expect(await page.locator('aside').count()).toBe(3)
        await decide('Allow refund?', 'Allow')
        await decide('Allow refund?', 'Deny')
        await decide('Which colour?', 'Blue')
        await see('I was told: weather and refund and ask and expert.')
        await ready()
        const calls = await page.locator('.call').allTextContents()
        expect(calls.filter((call) => !call.startsWith('refund')).toSorted()).toEqual([
          'ask {} "blue"',
          'expert {"question":"inner refund"} "I was told: inner refund."',
          'weather {} "{\\"celsius\\":6}"',
        ])
        expect(calls.filter((call) => call.startsWith('refund')).toSorted()).toEqual([
          'refund {} "refunded"',
          'refund {} "the user said no"',
        ])
        expect(await page.getByText('I was told: inner refund.').count()).toBeGreaterThan(0)
        expect(await page.locator('article[class="assistant of expert"]').count()).toBe(2)
        await see('expert is success')
        await see('tokens, answered')
        expect(warnings).toEqual([])
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

  it('stops the run by its button, and by going away', { timeout: 60_000 }, async () => {
    await open('own')
    await say('wait')
    await see('The first ')
    await page.getByText('Stop').click()
    await expect.poll(() => server.left).toEqual(['aborted'])
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
      // The question and the answer, once: the page had kept the first half.
      expect(await page.locator('main > article').allTextContents()).toEqual(['wait', 'The first and the second half.'])
      expect(warnings).toEqual([])
    },
  )
})
