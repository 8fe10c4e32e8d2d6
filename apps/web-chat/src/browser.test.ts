import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tool } from '@x/agent'
import { sqlite } from '@x/host'
import type { ModelEvent } from '@x/interfaces'
import { createSessionAgents } from '@x/session'
import { functionModel, type ScriptedReply } from '@x/testing'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChatIds, turnId } from './chat-ids.ts'
import { startChatServer } from './chat-server.ts'
import { MAX_LISTED_CHATS } from './chats.ts'
// @boundaries-ignore the browser of all tests
import { missingBrowser, startBrowser } from '../../studio-page/src/browser.fake.ts'
import { startExample } from './example-server.fake.ts'
import { pictured, PICTURE_NAMES, wordsOf } from './picture.fake.ts'

/** Script that returns the lowest contrast of any text of a page with its background. */
const LEAST_CONTRAST_SCRIPT = readFileSync(new URL('least-contrast.fake.js', import.meta.url), 'utf8')

const MARKUP = '<img src=x onerror="document.title=\'taken over\'"> & <b>bold</b>'

const text = (piece: string): ModelEvent => ({ type: 'textDelta', index: 0, text: piece })
const finish: ModelEvent = { type: 'finish', index: 0, reason: 'stop' }
const letter = (to: string): ScriptedReply => ({
  tool_calls: [
    { id: `c-${to}`, function: { name: 'send_letter', arguments: JSON.stringify({ to, text: `Dear ${to}` }) } },
  ],
})

describe.skipIf(missingBrowser())('in a browser', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  }, 60_000)
  afterAll(() => browser.close())

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    page.on('pageerror', (error) => {
      throw error
    })
    await page.goto(url)
    await page.waitForURL(/\/chats\//u)
    await page.locator('#status', { hasNotText: /./u }).waitFor({ state: 'attached' })
    return page
  }
  const type = async (page: Page, message: string): Promise<void> => {
    await page.getByLabel('Message').fill(message)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const item = (page: Page, kind: string, content: string | RegExp): Locator =>
    page.locator(`article.${kind}`, { hasText: content })
  const shown = async (page: Page): Promise<string[]> =>
    await page.locator('article .said, article.note').allInnerTexts()
  const title = async (page: Page, begins: string): Promise<void> =>
    await expect.poll(() => page.title(), { timeout: 20_000 }).toBe(`${begins} – Chat`)

  it('shows an answer while it comes, the same in two tabs, and never as markup', async () => {
    const gate = Promise.withResolvers<void>()
    await using example = await startExample(
      functionModel(() => ({
        stream: [text('The first half, '), gate.promise, text(`the second: ${MARKUP}`), finish],
      })),
    )
    const { url } = example.server
    const [page, other] = [await open(url), await open(url)]
    await type(page, 'Tell me.')
    for (const each of [page, other]) {
      await item(each, 'user', 'Tell me.').waitFor()
      await item(each, 'assistant', /The first half,\s*$/u).waitFor()
      await each.getByRole('button', { name: 'Stop' }).waitFor()
    }
    gate.resolve()
    for (const each of [page, other]) {
      await item(each, 'assistant', `the second: ${MARKUP}`).waitFor()
      await each.getByRole('button', { name: 'Send' }).waitFor()
      await title(each, 'Tell me.')
      expect(await each.locator('.said :is(img, b, strong)').count()).toBe(0)
    }
    await page.reload()
    await item(page, 'assistant', MARKUP).waitFor()
    expect(await shown(page)).toEqual(await shown(other))
    await Promise.all([page.close(), other.close()])
  })

  it.each(PICTURE_NAMES)(
    'says what the picture %s of the documents says; `bench/picture.ts` renews it',
    async (name) => {
      const words = readFileSync(new URL(`../../../docs/pictures/${name}.txt`, import.meta.url), 'utf8')
      expect(await pictured(browser, name, wordsOf)).toBe(words)
    },
  )

  it('allows a call whose arguments have the names of what a form has', async () => {
    const made: unknown[] = []
    const parameters = { type: 'object', properties: { elements: { type: 'string' }, l: { type: 'string' } } }
    const draw = tool({
      ...{ name: 'draw', description: 'Draws.', needsApproval: true, parameters },
      execute: (given) => String(made.push(given)),
    })
    const call = { id: 'c', function: { name: 'draw', arguments: '{"elements":"two lines","l":"5"}' } }
    const models = functionModel(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'Drawn.' : { tool_calls: [call] },
    )
    await using example = await startExample(models, {
      agents: (_, io) => createSessionAgents({ llmConfig: models, systemMessage: 'Draw.', tools: [draw], io }),
    })
    const page = await open(example.server.url)
    await type(page, 'Draw.')
    await page.getByLabel('elements').fill('three lines')
    await page.getByRole('button', { name: 'Allow' }).click()
    await item(page, 'assistant', 'Drawn.').waitFor()
    expect(made).toEqual([{ elements: 'three lines', l: '5' }])
    await page.close()
  })

  it('asks for an approval, over a reload and in every tab, and makes the call once with the edited arguments', async () => {
    const models = functionModel(({ messages }) => {
      const last = messages.at(-1)!
      return last.role === 'tool' ? `Done: ${JSON.stringify(last.content)}` : letter('Ada')
    })
    await using example = await startExample(models)
    const { url } = example.server
    const [page, other] = [await open(url), await open(url)]
    await type(page, 'Write to Ada.')
    await item(page, 'tool', 'send_letter').getByRole('button', { name: 'Allow' }).waitFor()
    await page.reload()
    const call = item(page, 'tool', 'send_letter')
    await title(other, '● Write to Ada.')
    await call.getByLabel('text').fill('Dearest Ada')
    // Nothing can be said before the decision, and the page says why.
    await other.locator('#next', { hasText: 'decide on it first' }).waitFor()
    expect(await other.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await other.getByLabel('Message').fill('Too early')
    await other.getByLabel('Message').press('Enter')
    // Text in a form stays while the rest of the page changes, and over a lost connection.
    // A proxy answers in place of a server that starts anew.
    await page.route('**/events?*', (route) => route.fulfill({ status: 503, body: 'no server' }))
    example.server.watchers.close()
    await page.locator('#status', { hasText: 'trying again' }).waitFor()
    await page.waitForResponse(/events/u)
    await page.unrouteAll()
    await page.locator('#status', { hasNotText: /./u }).waitFor({ state: 'attached' })
    expect(await call.getByLabel('text').inputValue()).toBe('Dearest Ada')
    expect(example.letters).toEqual([])
    await call.getByRole('button', { name: 'Allow' }).click()
    for (const each of [page, other]) {
      await item(each, 'assistant', 'Done: "sent to Ada"').waitFor()
      await item(each, 'tool', 'Dearest Ada').waitFor({ state: 'attached' })
      await title(each, 'Write to Ada.')
      expect(await each.getByRole('button', { name: 'Allow' }).count()).toBe(0)
    }
    expect(example.letters).toEqual(['Ada: Dearest Ada'])
    await type(page, 'Write to her again.')
    await other.close()
    await page.getByLabel('Reason').fill('not today')
    await page.getByRole('button', { name: 'Deny' }).click()
    await item(page, 'assistant', 'denied: not today').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('text')
    expect(example.letters).toHaveLength(1)
    await page.close()
  })

  it('formats common Markdown, and leaves the rest as it is', async () => {
    const text =
      '# Plan\n- a `b`\n**c** *d* 2 * 3 ** 4 ** *a, **b\n\n```js\nconst e = `**f**`\n```\n```npm test```\n~~~\n```\n~~~\nend'
    await using example = await startExample(functionModel(() => text))
    const page = await open(example.server.url)
    await type(page, 'Go.')
    const said = item(page, 'assistant', 'end').locator('.said')
    await said.locator('pre', { hasText: 'const e = `**f**`' }).waitFor()
    expect(await said.locator('pre').allInnerTexts()).toEqual(['const e = `**f**`', '```'])
    expect(await said.locator('strong').allInnerTexts()).toEqual(['Plan', 'c'])
    expect(await said.locator('em').allInnerTexts()).toEqual(['d'])
    expect(await said.locator('p').allInnerTexts()).toEqual([
      'Plan\n• a b\nc d 2 * 3 ** 4 ** *a, **b',
      '``npm test``',
      'end',
    ])
    await page.close()
  })

  it('stops an answer, keeps its beginning, and continues', async () => {
    const asked: number[] = []
    const never = new Promise<void>(() => {})
    const models = functionModel(({ messages }) => {
      asked.push(messages.length)
      return asked.length === 1 ? { stream: [text('It begins'), never, finish] } : 'And now?'
    })
    await using example = await startExample(models)
    const page = await open(example.server.url)
    await type(page, 'Begin.')
    await item(page, 'assistant', 'It begins').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await item(page, 'note', 'Stopped.').waitFor()
    await type(page, 'Go on.')
    await item(page, 'assistant', 'And now?').waitFor()
    expect(await shown(page)).toEqual(['Begin.', 'It begins', 'Stopped.', 'Go on.', 'And now?'])
    expect(asked).toHaveLength(2)
    await page.close()
  })

  it('shows the question of a tool, and takes the answer from any tab', async () => {
    const models = functionModel(({ messages }) => {
      const last = messages.at(-1)!
      if (last.role === 'tool') return `So it is ${JSON.stringify(last.content)}.`
      return { tool_calls: [{ id: 'q', function: { name: 'ask_person', arguments: '{"question":"Which colour?"}' } }] }
    })
    await using example = await startExample(models)
    const [page, other] = [await open(example.server.url), await open(example.server.url)]
    await type(page, 'Guess.')
    await other.getByLabel('Which colour?').fill('blue')
    await other.getByRole('button', { name: 'Answer' }).click()
    await item(page, 'assistant', 'So it is "blue".').waitFor()
    await Promise.all([page.close(), other.close()])
  })

  it('shows a group with a person in it: names, models, who is next, a turn, silence, and an approval', async () => {
    await using example = await startExample(undefined, { kind: 'group' })
    const { url } = example.server
    const [page, other] = [await open(url), await open(url)]
    await page.locator('#members', { hasText: 'You, planner, cook, critic, buyer' }).waitFor()
    await type(page, 'A dinner for four, please.')
    for (const each of [page, other]) {
      await item(each, 'assistant', 'I propose')
        .locator('.head', { hasText: /planner\s*simulated/u })
        .waitFor()
      await each.locator('#next', { hasText: 'It is your turn (chosen by the model)' }).waitFor()
      await each.locator('#usage', { hasText: /simulated · [\d,]+ in, \d+ out · \$0/u }).waitFor()
      await title(each, '● A dinner for four, please.')
    }
    // The draft and the turn survive a reload; either tab may answer.
    await page.getByLabel('Message').fill('No fish')
    await page.reload()
    await page.getByRole('button', { name: 'Stay silent' }).waitFor()
    expect(await page.getByLabel('Message').inputValue()).toBe('No fish')
    await page.keyboard.press('Enter')
    await item(page, 'assistant', 'No fish').locator('.head', { hasText: 'cook' }).waitFor()
    await other.getByLabel('shop').selectOption('corner shop')
    await other.getByLabel('items').fill('2 leeks\n6 pears')
    await other.getByLabel('limit').fill('20')
    await other.getByLabel('express').check()
    await other.getByRole('button', { name: 'Allow' }).click()
    await item(other, 'assistant', 'Dinner is at eight.').waitFor()
    expect(example.letters.map((line) => JSON.parse(line) as unknown)).toEqual([
      { shop: 'corner shop', items: ['2 leeks', '6 pears'], limit: 20, note: 'Please ring twice.', express: true },
    ])
    expect(await shown(page)).toEqual(await shown(other))
    expect((await shown(page)).join()).not.toContain('TERMINATE')

    await type(page, 'And without pears?')
    await other.getByRole('button', { name: 'Stay silent' }).click()
    await item(page, 'user', 'stayed silent').waitFor()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await Promise.all([page.close(), other.close()])
  })

  it('shows who said what in the group that a tool asks, and what is left of the budgets', async () => {
    await using example = await startExample(undefined, { chatLimits: { chatBudget: 0.5, dayBudget: 20 } })
    const page = await open(example.server.url)
    await type(page, 'Ask the group where to go.')
    await item(page, 'assistant', 'The tool says').waitFor()
    await item(page, 'tool', 'ask_group').locator('summary').click()
    expect(await page.locator('.talk b').allInnerTexts()).toEqual(['researcher', 'critic', 'writer'])
    await page.locator('#usage', { hasText: 'left: $0.50 for this chat, $20.00 for today' }).waitFor()
    await page.close()
  })

  it('sends a message that was written before the page knew its chat or the state of the chat', async () => {
    await using example = await startExample(undefined, { kind: 'group' })
    const page = await browser.newPage()
    /** Holds requests back until the returned function is called. */
    const hold = async (pattern: string): Promise<() => void> => {
      const gate = Promise.withResolvers<void>()
      await page.route(pattern, async (route) => {
        await gate.promise
        await route.continue()
      })
      return gate.resolve
    }
    const goOn = await hold('**/chats')
    await page.goto(example.server.url)
    await type(page, 'A dinner, please.')
    goOn()
    await item(page, 'user', 'A dinner, please.').waitFor()
    await page.getByRole('button', { name: 'Stay silent' }).waitFor()

    const goOnAgain = await hold('**/events?*')
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.getByRole('button', { name: 'Stay silent' }).waitFor({ state: 'hidden' })
    await type(page, 'Hello?')
    goOnAgain()
    await item(page, 'user', 'Hello?').waitFor()
    expect(await page.getByLabel('Message').inputValue()).toBe('')
    await page.close()
  })

  it('has a list of chats that works with the keyboard alone', async () => {
    await using example = await startExample(functionModel(({ messages }) => `heard ${messages.length - 1}`))
    const page = await open(example.server.url)
    await page.keyboard.type('First')
    await page.keyboard.press('Enter')
    await item(page, 'assistant', 'heard 1').waitFor()
    await page.getByRole('link', { name: 'First' }).waitFor()
    await page.locator('.new button').first().focus()
    await page.keyboard.press('Enter')
    await title(page, 'New chat')
    expect(await page.locator('article').count()).toBe(0)
    await page.keyboard.type('Second')
    await page.keyboard.press('Enter')
    await item(page, 'assistant', 'heard 1').waitFor()
    await page.getByRole('link', { name: 'Second' }).waitFor()
    await page.locator('.new button').last().focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await item(page, 'user', 'First').waitFor()
    expect(await page.getByRole('link', { name: 'First' }).getAttribute('aria-current')).toBe('page')
    await page.goBack()
    await item(page, 'user', 'Second').waitFor()
    const address = page.url()
    await page.reload()
    await item(page, 'user', 'Second').waitFor()
    expect(page.url()).toBe(address)
    await page.close()
  })

  it('shows older chats on request', async () => {
    const at = sqlite(':memory:')
    await using example = await startExample(
      functionModel(() => 'Hello.'),
      { at },
    )
    const { host, programs } = example.host
    const ids = new ChatIds('secret', () => 1)
    for (let chat = 0; chat < MAX_LISTED_CHATS + 5; chat++) {
      const id = ids.create('assistant')
      await host.submit(programs.assistant, { chat: id, turn: 0, text: `Chat ${chat}` }, { id: turnId(id, 0) })
      await host.result(turnId(id, 0))
    }
    // A server that started after these chats.
    await using server = await startChatServer({ host: example.host })
    const page = await open(server.url)
    const links = page.locator('#list a')
    await expect.poll(() => links.count()).toBe(MAX_LISTED_CHATS)
    await page.getByRole('button', { name: 'Older chats' }).click()
    await expect.poll(() => links.count()).toBe(MAX_LISTED_CHATS + 5)
    expect(await page.getByRole('button', { name: 'Older chats' }).isVisible()).toBe(false)
    await page.close()
  })

  it.each(['light', 'dark'] as const)('can be read in %s, on a phone, and in the other theme', async (colorScheme) => {
    await using example = await startExample(undefined, { kind: 'group' })
    const page = await browser.newPage({ colorScheme, viewport: { width: 360, height: 640 } })
    await page.goto(example.server.url)
    await type(page, 'A dinner, please.')
    await page.getByRole('button', { name: 'Stay silent' }).click()
    await page.getByRole('button', { name: 'Allow' }).scrollIntoViewIfNeeded()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    const other = colorScheme === 'light' ? 'dark' : 'light'
    for (const theme of [other, colorScheme, other]) {
      // Colours pass into one another.
      await expect.poll(() => page.evaluate<number>(LEAST_CONTRAST_SCRIPT)).toBeGreaterThanOrEqual(4.5)
      await page.getByRole('button', { name: `Switch to ${theme} colours` }).click()
    }
    expect(await page.getByRole('link', { name: 'A dinner' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Chats' }).click()
    await page.getByRole('link', { name: 'A dinner' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'A dinner' }).waitFor({ state: 'hidden' })
    await page.close()
  })

  it('continues after the server was killed, and repeats nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'web-chat-'))
    const letters = (): string[] => readdirSync(join(folder, 'letters'))
    let server = await startProcess(folder)
    try {
      let page = await open(server.url)
      await type(page, 'What is the weather in Oslo?')
      await item(page, 'assistant', 'light rain').waitFor()
      await type(page, 'Send a letter to Ada')
      await page.getByRole('button', { name: 'Allow' }).waitFor()
      await kill(server.process)
      await page.locator('#status', { hasText: 'trying again' }).waitFor()
      await page.close()

      server = await startProcess(folder)
      page = await open(server.url)
      await item(page, 'assistant', 'light rain').waitFor()
      const before = await shown(page)
      await page.getByRole('button', { name: 'Allow' }).click()
      await item(page, 'assistant', 'sent to Ada').waitFor()
      expect(letters()).toHaveLength(1)
      await kill(server.process)
      await page.close()

      server = await startProcess(folder)
      page = await open(server.url)
      await item(page, 'assistant', 'sent to Ada').waitFor()
      expect((await shown(page)).slice(0, before.length)).toEqual(before)
      expect(letters()).toHaveLength(1)
      await type(page, 'Hello?')
      await item(page, 'assistant', 'simulated model').last().waitFor()
      await page.close()
    } finally {
      await kill(server.process)
      rmSync(folder, { recursive: true })
    }
  })
})

async function startProcess(folder: string): Promise<{ process: ChildProcess; url: string }> {
  const { OPENAI_API_KEY: _, ...env } = process.env
  const child = fork(new URL('main.ts', import.meta.url), ['--folder', folder], {
    env,
    execArgv: ['--conditions=@x/source'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let printed = ''
  for await (const chunk of child.stdout!) {
    printed += String(chunk)
    const url = /http:\S+/u.exec(printed)?.[0]
    if (url && printed.endsWith('\n')) return { process: child, url }
  }
  throw new Error(`the server said no address: ${printed}`)
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
