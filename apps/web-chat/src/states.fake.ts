import { crc32, deflateSync } from 'node:zlib'
import { tool } from '@x/agent'
import type { LlmConfig, ModelEvent } from '@x/interfaces'
import { toolContent } from '@x/kernel/tool-content'
import { createSessionAgents } from '@x/session'
import { functionModel } from '@x/testing'
import type { Browser, Page } from 'playwright-core'
import { startExample, type ExampleOptions } from './example-server.fake.ts'

/** A state of the page, as pictures and tests see it. */
export interface PageState extends ExampleOptions {
  readonly name: string
  /** Default: the simulated model of the example. */
  readonly model?: LlmConfig
  /** Brings the page of a new chat into the state. */
  readonly reach: (page: Page) => Promise<unknown>
}

/** How a page is looked at. */
export interface View {
  readonly width: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
}

const ANSWER = `## A weekend in Oslo
Take a **raincoat**: it rains until *noon*. Then:
- the \`Munch\` museum
- a ferry to Hovedøya

\`\`\`js
const days = ['Saturday', 'Sunday']
console.log(days.length)
\`\`\`
That is all.`

const words: ModelEvent = { type: 'textDelta', index: 0, text: 'Take a raincoat: it rains in Oslo until' }
/** Returns a picture as PNG; `pixels` has three bytes for each. */
export function png(width: number, height: number, pixels: Uint8Array): Buffer {
  const rows = Buffer.alloc(height * (width * 3 + 1))
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * width * 3, (y + 1) * width * 3), y * (width * 3 + 1) + 1)
  const chunk = (type: string, data: Buffer): Buffer => {
    const [body, ends] = [Buffer.concat([Buffer.from(type), data]), Buffer.alloc(8)]
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.of())]
  return Buffer.concat([Buffer.from('iVBORw0KGgo=', 'base64'), ...parts])
}

/** A picture of 240 by 120 pixels: a sky that is lighter below. */
function sky(): Buffer {
  const row = (y: number): number[] => Array.from({ length: 240 }, () => [70 + y, 110 + y, 200 + y / 3]).flat()
  return png(240, 120, Uint8Array.from(Array.from({ length: 120 }, (_, y) => row(y)).flat()))
}

/** Files that a person gives. */
export const GIVEN_FILES = [
  { name: 'sky over Oslo.png', mimeType: 'image/png', buffer: sky() },
  { name: 'clouds.csv', mimeType: 'text/csv', buffer: Buffer.from('hour,clouds\n12,0.4\n') },
] as const

/** A tool that gives an image and a file. */
const draw = tool({
  name: 'draw',
  description: 'Draws the sky.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  execute: () =>
    toolContent([
      { type: 'text', text: 'Drawn from the clouds of today.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${sky().toString('base64')}` } },
      {
        type: 'file',
        file: { filename: 'clouds.csv', file_data: `data:text/csv;base64,${btoa('hour,clouds\n12,0.4\n')}` },
      },
    ]),
})

/** A model that thinks, then draws. */
const drawing = functionModel(({ messages }) => {
  if (messages.at(-1)?.role !== 'tool')
    return { tool_calls: [{ id: 'd', function: { name: 'draw', arguments: '{"city":"Oslo"}' } }] }
  return {
    stream: [
      {
        type: 'reasoningDelta',
        index: 0,
        text: 'The person wants a picture; the tool has made one, with its figures.',
      },
      { type: 'textDelta', index: 0, text: 'Here it is.' },
      { type: 'finish', index: 0, reason: 'stop' },
    ],
  }
})

const never = new Promise<never>(() => {})

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}
const button = async (page: Page, name: string): Promise<void> => await page.getByRole('button', { name }).waitFor()
const line = async (page: Page, kind: string, text: string): Promise<void> =>
  await page.locator(`article.${kind}`, { hasText: text }).waitFor()

const attach = async (page: Page): Promise<void> => {
  await page.locator('input[type=file]').setInputFiles([...GIVEN_FILES])
  await button(page, 'Remove clouds.csv')
}

/** All states of the page. */
export const PAGE_STATES: readonly PageState[] = [
  { name: 'empty', reach: async (page) => await button(page, 'Write a letter') },
  { name: 'empty-group', kind: 'group', reach: async (page) => await button(page, 'A dinner for four') },
  {
    name: 'answer',
    model: functionModel(() => ANSWER),
    async reach(page) {
      await say(page, 'What do I do in Oslo?')
      await line(page, 'assistant', 'That is all.')
    },
  },
  {
    name: 'writing',
    model: functionModel(() => ({ stream: [words, never] })),
    async reach(page) {
      await say(page, 'What do I wear in Oslo?')
      await line(page, 'assistant', 'until')
    },
  },
  {
    name: 'tools',
    async reach(page) {
      await say(page, 'What is the weather in Oslo?')
      await line(page, 'assistant', 'light rain')
      await say(page, 'Ask the group where to go.')
      await line(page, 'assistant', 'The tool says')
      for (const summary of await page.locator('summary').all()) await summary.click()
    },
  },
  {
    name: 'files',
    agents: () =>
      createSessionAgents({ llmConfig: drawing, systemMessage: '', tools: [draw], io: { send() {}, input: () => '' } }),
    async reach(page) {
      await say(page, 'Draw the sky over Oslo, with the figures.')
      await line(page, 'assistant', 'Here it is.')
      await page.locator('.reasoning summary').first().click()
    },
  },
  {
    name: 'attached',
    model: functionModel(() => 'Yes.'),
    async reach(page) {
      await attach(page)
      await page.getByLabel('Message').fill('Do these figures fit the picture?')
    },
  },
  {
    name: 'given',
    model: functionModel(() => 'They do: 0.4 is a thin cloud, and the sky is bright.'),
    async reach(page) {
      await attach(page)
      await say(page, 'Do these figures fit the picture?')
      await line(page, 'assistant', 'They do')
      await page.getByRole('img', { name: 'Picture sky' }).waitFor()
    },
  },
  {
    name: 'approval',
    async reach(page) {
      await say(page, 'Send a letter to Ada')
      await button(page, 'Allow')
      await page.locator('#next', { hasText: 'decide on it' }).waitFor()
    },
  },
  {
    name: 'edit',
    model: functionModel(() => 'Yes.'),
    async reach(page) {
      await say(page, 'Do I wear a hat in Bergen?')
      await page.getByRole('button', { name: 'Edit' }).click()
      await line(page, 'assistant', 'Yes.')
    },
  },
  {
    name: 'question',
    async reach(page) {
      await say(page, 'Ask me something')
      await button(page, 'Answer')
    },
  },
  {
    name: 'group',
    kind: 'group',
    async reach(page) {
      await say(page, 'A dinner for four, please.')
      await button(page, 'Stay silent')
      await page.locator('#list', { hasText: 'asks you' }).waitFor({ state: 'attached' })
    },
  },
  {
    name: 'failed',
    model: functionModel(() => {
      throw new Error('the model is not there')
    }),
    async reach(page) {
      await say(page, 'Hello?')
      await line(page, 'note', 'It failed')
    },
  },
  {
    name: 'token',
    async reach(page) {
      await page.evaluate(`location.hash = 'of-an-earlier-start'`)
      await button(page, 'Open')
    },
  },
  {
    name: 'missing',
    async reach(page) {
      await page.goto(page.url().replace(/\/chats\/\w/u, '/chats/x'))
      await button(page, 'Begin a new chat')
    },
  },
  {
    name: 'list',
    model: functionModel(() => 'Yes.'),
    async reach(page) {
      await say(page, 'Do I wear a hat in Bergen?')
      await line(page, 'assistant', 'Yes.')
      if (page.viewportSize()!.width < 700) await page.getByRole('button', { name: 'Chats' }).click()
      await page.getByRole('link', { name: 'Do I wear' }).waitFor()
    },
  },
]

/** Shows a state of the page as long as `use` looks at it. */
export async function inState<R>(
  browser: Browser,
  { model, reach, ...options }: PageState,
  { width, height = 844, scheme = 'light' }: View,
  use: (page: Page) => Promise<R>,
): Promise<R> {
  await using example = await startExample(model, options)
  const page = await browser.newPage({
    ...{ viewport: { width, height }, colorScheme: scheme, locale: 'en-GB', timezoneId: 'UTC' },
    reducedMotion: 'reduce',
  })
  try {
    await page.goto(example.server.url)
    await page.waitForURL(/\/chats\//u)
    await reach(page)
    return await use(page)
  } finally {
    await page.close()
  }
}
