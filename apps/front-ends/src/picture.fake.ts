import type { Browser, Page } from 'playwright-core'
import type { ChatServer } from './chat-server.fake.ts'

/** A page of a user has a style of its own; this one stands for it. */
const STYLE = `
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: #1c1c1e; background: #f5f6fa }
main { max-width: 44rem; margin: auto; padding: 1rem }
article { margin: 0 0 .8rem; padding: .5rem .9rem; border-radius: 10px; background: #fff; border: 1px solid #d9d9de }
article.user { margin-left: 30%; background: #e3eaff }
article article { margin: .4rem 0; background: #fbfbfd }
p { margin: .2rem 0 } .call { font: 13px/1.7 ui-monospace, monospace } footer { color: #6e6e73; font-size: 13px }
button { margin-left: .6rem; font: inherit; border: 1px solid #b9bac4; border-radius: 6px; background: #fff }
input { width: 60%; font: inherit; padding: .3rem } output { margin-left: .6rem; color: #6e6e73 } form { display: inline }`

/** Opens the page of a run with a call, an agent inside a tool and two questions, as `docs/pictures/use-chat.png` shows it. */
export async function pictured<R>(browser: Browser, server: ChatServer, use: (page: Page) => Promise<R>): Promise<R> {
  const page = await browser.newPage({ viewport: { width: 760, height: 350 }, colorScheme: 'light' })
  try {
    await page.goto(`${server.url}/?api=/ui/own`)
    await page.addStyleTag({ content: STYLE })
    await page.locator('input').fill('weather and refund and expert')
    await page.locator('input').press('Enter')
    await page.getByText('tokens, suspended').waitFor()
    await page.locator('output', { hasText: /^ready$/u }).waitFor()
    return await use(page)
  } finally {
    await page.close()
  }
}

/** The words of the page. */
export async function wordsOf(page: Page): Promise<string> {
  return `${(await page.locator('main').innerText()).trim()}\n`
}
