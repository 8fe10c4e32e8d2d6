import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ATTACKS } from './attacks.fake.ts'
// @boundaries-ignore the browser of all tests
import { missingBrowser, startBrowser } from '../../studio-page/src/browser.fake.ts'
import { until } from './example-server.fake.ts'
import { Processes, type RunningProcess } from './processes.ts'
import { startRedis, type RedisServer } from './redis-server.ts'
import { installedRedis } from './redis.fake.ts'
import { readSettings } from './settings.ts'

const redisProgram = installedRedis()

/** Script that records the events of a page's stream. */
const RECORD_SCRIPT = `
  const Plain = EventSource
  window.heard = []
  window.EventSource = class extends Plain {
    constructor(...given) {
      super(...given)
      this.addEventListener('open', () => heard.push('open'))
      this.addEventListener('message', ({ data }) => heard.push(JSON.parse(data)))
    }
  }`

describe.skipIf(missingBrowser() || !redisProgram)('on two web servers and workers', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'web-chat-'))
  let redis: RedisServer
  let browser: Browser
  let web: Processes
  let servers: readonly [RunningProcess, RunningProcess]

  const processes = (args: readonly string[] = [], restarts = true): Processes => {
    const settings = readSettings(['--folder', folder, '--pace', '25', ...args])
    return new Processes({ settings, address: redis.address, restarts, log: () => {} })
  }

  beforeAll(async () => {
    ;[redis, browser] = await Promise.all([startRedis(redisProgram!, join(folder, 'redis')), startBrowser()])
    web = processes()
    servers = await Promise.all([web.startServer(0), web.startServer(0)])
  }, 60_000)
  afterAll(async () => {
    await web[Symbol.asyncDispose]()
    await Promise.all([browser.close(), redis[Symbol.asyncDispose]()])
    rmSync(folder, { recursive: true })
  })

  /** Opens a page of a web server, with a new chat or that of another page. */
  async function open({ url }: RunningProcess, chatOf?: Page): Promise<Page> {
    const page = await browser.newPage()
    await page.addInitScript(RECORD_SCRIPT)
    const address = new URL(url)
    if (chatOf) address.pathname = new URL(chatOf.url()).pathname
    await page.goto(address.href)
    await page.waitForURL(/\/chats\//u)
    if (!chatOf) {
      const { pathname } = new URL(page.url())
      await page.getByRole('button', { name: 'New chat' }).click()
      await page.waitForURL((now) => now.pathname !== pathname)
    }
    await page.locator('#status', { hasNotText: /./u }).waitFor({ state: 'attached' })
    return page
  }
  const type = async (page: Page, message: string): Promise<void> => {
    await page.getByLabel('Message').fill(message)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const item = (page: Page, kind: string, content: string | RegExp): Locator =>
    page.locator(`article.${kind}`, { hasText: content })
  const lines = async (page: Page): Promise<string[]> =>
    await page.locator('article .said, article.note').allInnerTexts()
  /** Resolves while an answer is being written. */
  const begins = (page: Page): Promise<void> => page.locator('article.assistant[aria-busy="true"]').waitFor()
  /** Answer of the simulated model. */
  const ANSWER = /^I am a simulated model\. .*to talk with a real model\.$/su
  const isWhole = (page: Page): Promise<void> => item(page, 'assistant', 'to talk with a real model.').waitFor()

  it('approve on one server a call of a chat on the other, over a reload, and refuse forbidden requests', async () => {
    await using workers = processes()
    await Promise.all([workers.startWorker(), workers.startWorker()])
    const page = await open(servers[0])
    await type(page, 'Send a letter to Ada')
    await item(page, 'tool', 'send_letter').getByRole('button', { name: 'Allow' }).waitFor()
    const other = await open(servers[1], page)
    await other.getByRole('link', { name: 'Send a letter to Ada' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await other.getByLabel('text').fill('Dearest Ada')
    await other.getByRole('button', { name: 'Allow' }).click()
    for (const each of [page, other]) {
      await item(each, 'assistant', 'sent to Ada').waitFor()
      expect(await each.getByRole('button', { name: 'Allow' }).count()).toBe(0)
    }
    expect(await lines(page)).toEqual(await lines(other))
    expect(readdirSync(join(folder, 'letters'))).toHaveLength(1)

    const { origin, hash } = new URL(servers[1].url)
    const chat = new URL(page.url()).pathname.split('/').at(-1)!
    for (const [what, status, attack] of ATTACKS) {
      expect((await attack({ origin, chat, token: hash.slice(1) })).status, what).toBe(status)
    }
    expect(await lines(page)).toEqual(await lines(other))
    await Promise.all([page.close(), other.close()])
  })

  it('continue by the last event id when a web server is killed during an answer', async () => {
    await using workers = processes()
    await workers.startWorker()
    const [page, other] = [await open(servers[0]), await open(servers[1])]
    await type(page, 'Hello?')
    await begins(page)
    await page.evaluate('heard.length = 0')
    servers[0].child.kill('SIGKILL')
    await page.locator('#status', { hasText: 'trying again' }).waitFor()
    await isWhole(page)
    await other.goto(`${new URL(servers[1].url).origin}${new URL(page.url()).pathname}${new URL(page.url()).hash}`)
    await isWhole(other)
    for (const each of [page, other]) expect(await lines(each)).toEqual(['Hello?', expect.stringMatching(ANSWER)])
    // The server does not send again what the page has, such as the line of the person.
    const heard = await page.evaluate<(string | { type: string; index?: number })[]>('heard')
    expect(heard).toContain('open')
    expect(heard).toContainEqual(expect.objectContaining({ type: 'begin' }))
    expect(heard).not.toContainEqual(expect.objectContaining({ type: 'item', index: 0 }))
    await Promise.all([page.close(), other.close()])
  })

  it.each([
    ['SIGKILL', 'was lost', '1'],
    // Longer than the test may take, so that no takeover waits for the lease.
    ['SIGTERM', 'was stopped', '600'],
  ] as const)('shows one whole answer when its worker is ended by %s in the middle', async (signal, why, lease) => {
    // The first worker would write for a minute.
    await using workers = processes(['--lease', lease, '--pace', '1000'], false)
    await using others = processes(['--lease', lease, '--pace', '5'])
    const worker = await workers.startWorker()
    const page = await open(servers[0])
    await type(page, 'Hello?')
    await begins(page)
    await others.startWorker()
    worker.child.kill(signal)
    await item(page, 'note', `The worker that wrote here ${why}: another one begins the answer again.`).waitFor()
    await page.reload()
    await isWhole(page)
    const other = await open(servers[1], page)
    await isWhole(other)
    for (const each of [page, other])
      expect(await lines(each)).toEqual(['Hello?', expect.stringContaining(why), expect.stringMatching(ANSWER)])
    await type(page, 'Hello again?')
    await item(other, 'user', 'Hello again?').waitFor()
    await Promise.all([page.close(), other.close()])
  })
})

describe('the command', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'web-chat-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  function start(env: NodeJS.ProcessEnv = process.env): { child: ChildProcess; printed: () => string } {
    const child = fork(
      new URL('many.ts', import.meta.url),
      ['--folder', folder, '--servers', '1', '--workers', '1', '--monitor', '0'],
      {
        env,
        execArgv: ['--conditions=@x/source'],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    )
    let printed = ''
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (printed += String(text)))
    return { child, printed: () => printed }
  }
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  const isListening = async (port: number): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1')
    const connected = await once(socket, 'connect').catch(() => null)
    socket.destroy()
    return connected !== null
  }

  it.skipIf(!redisProgram).each(['SIGINT', 'SIGKILL'] as const)('leaves nothing behind after %s', async (signal) => {
    const { child, printed } = start()
    await until(() => printed().includes('Ctrl-C') || child.exitCode !== null)
    const url = /http:\S+/u.exec(printed())![0]
    expect((await fetch(new URL(url).origin)).status).toBe(200)
    const monitors = [...printed().matchAll(/(\S+)\/metrics/gu)].map(([, monitor]) => monitor!)
    expect(monitors).toHaveLength(2)
    for (const monitor of monitors) {
      expect(await (await fetch(`${monitor}/readyz`)).text()).toBe('ready\n')
      expect(await (await fetch(`${monitor}/metrics`)).text()).toMatch(/^\w+\{chat="assistant",.*\} 0$/mu)
    }
    const pids = [...printed().matchAll(/process (\d+)/gu)].map(([, pid]) => Number(pid))
    expect(pids.filter(isAlive)).toHaveLength(2)
    const exit = once(child, 'exit')
    child.kill(signal)
    expect(await exit).toEqual(signal === 'SIGINT' ? [0, null] : [null, 'SIGKILL'])
    await until(() => !pids.some(isAlive))
    const port = Number(/^port (\d+)$/mu.exec(readFileSync(join(folder, 'redis', 'redis.conf'), 'utf8'))![1])
    while (await isListening(port));
  })

  it('says what to install when there is no server', async () => {
    const { child, printed } = start({ PATH: '/nowhere' })
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(1)
    expect(printed()).toContain('apt-get install redis-server')
  })
})
