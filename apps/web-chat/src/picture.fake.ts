import type { LlmConfig, ModelEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import type { Browser, Locator, Page } from 'playwright-core'
import { startExample, type ExampleOptions } from './example-server.fake.ts'

/** The scene of a picture of the page. */
interface Pictured extends ExampleOptions {
  /** Default: the simulated model of the example. */
  readonly model?: LlmConfig
  /** The last question; `earlier` ones are each asked in a chat of their own. */
  readonly question: string
  readonly earlier?: readonly string[]
  /** Is there when everything is to be seen. */
  readonly ready: (page: Page) => Locator
  /** Height of the page in pixels. */
  readonly height: number
}

const letter = { to: 'Ada', text: 'Dear Ada, the meeting is at noon.' }
const call = { id: 'c1', function: { name: 'send_letter', arguments: JSON.stringify(letter) } }
const words: ModelEvent = { type: 'textDelta', index: 0, text: 'Take a raincoat: it rains in Oslo until' }

/** The pictures of the page in `docs/pictures`, by their names. */
const PICTURES = {
  'web-chat': {
    model: functionModel(() => ({ tool_calls: [call] })),
    question: 'Please tell Ada that the meeting is at noon.',
    ready: (page) => page.getByRole('button', { name: 'Allow' }),
    height: 560,
  },
  'web-answer': {
    model: functionModel(() => ({ stream: [words, new Promise<never>(() => {})] })),
    question: 'What do I wear in Oslo?',
    ready: (page) => page.locator('article.assistant', { hasText: 'until' }),
    height: 400,
  },
  'web-group': {
    kind: 'group',
    question: 'A dinner for four, please.',
    ready: (page) => page.getByRole('button', { name: 'Stay silent' }),
    height: 560,
  },
  'web-list': {
    model: functionModel(({ messages }) => {
      const said = JSON.stringify(messages.at(-1)?.content)
      if (said.includes('Ada')) return { tool_calls: [call] }
      return said.includes('Bergen') ? 'Yes.' : { stream: [words, new Promise<never>(() => {})] }
    }),
    earlier: ['Please tell Ada that the meeting is at noon.', 'Do I wear a hat in Bergen?'],
    question: 'What do I need in Oslo?',
    ready: (page) => page.locator('article.assistant', { hasText: 'until' }),
    height: 400,
  },
} satisfies Record<string, Pictured>

export type PictureName = keyof typeof PICTURES

/** The names of the pictures. */
export const PICTURE_NAMES = Object.keys(PICTURES) as PictureName[]

/** The states that have a sheet. */
export const SHEETS: ReadonlySet<string> = new Set([
  ...['empty', 'answer', 'files', 'attached', 'given', 'approval', 'edit', 'group', 'failed', 'token'],
])

/** Opens the page as a picture of `docs/pictures` shows it. */
export async function pictured<R>(browser: Browser, name: PictureName, use: (page: Page) => Promise<R>): Promise<R> {
  const { model, earlier = [], question, ready, height, ...options }: Pictured = PICTURES[name]
  await using example = await startExample(model, options)
  const page = await browser.newPage({ viewport: { width: 900, height }, colorScheme: 'light' })
  await page.goto(example.server.url)
  const ask = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  for (const text of earlier) {
    await ask(text)
    await page.locator('article.assistant, article.tool').waitFor()
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.locator('article').first().waitFor({ state: 'detached' })
  }
  await ask(question)
  await ready(page).waitFor()
  try {
    return await use(page)
  } finally {
    await page.close()
  }
}

/** The words of the page beside its list of chats, which are the same on every machine. */
export async function wordsOf(page: Page): Promise<string> {
  const parts = await page.locator('main, footer').allInnerTexts()
  return `${parts
    .map((part) => part.trim())
    .join('\n\n')
    .trim()}\n`
}
