import { functionModel } from '@x/testing'
import type { Browser, Page } from 'playwright-core'
import { startExample } from './example-server.fake.ts'

const QUESTION = 'Please tell Ada that the meeting is at noon.'
const LETTER = { to: 'Ada', text: 'Dear Ada, the meeting is at noon.' }

/** Opens the page where it waits for an approval, as `docs/pictures/web-chat.png` shows it. */
export async function pictured<R>(browser: Browser, use: (page: Page) => Promise<R>): Promise<R> {
  const call = { id: 'c1', function: { name: 'send_letter', arguments: JSON.stringify(LETTER) } }
  await using example = await startExample(functionModel(() => ({ tool_calls: [call] })))
  const page = await browser.newPage({ viewport: { width: 900, height: 560 }, colorScheme: 'light' })
  await page.goto(example.server.url)
  await page.getByLabel('Message').fill(QUESTION)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  try {
    return await use(page)
  } finally {
    await page.close()
  }
}

/** The words of the conversation, which are the same on every machine. */
export async function wordsOf(page: Page): Promise<string> {
  return `${(await page.locator('main').innerText()).trim()}\n`
}
