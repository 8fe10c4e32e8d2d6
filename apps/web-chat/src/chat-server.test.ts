import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ModelEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ATTACKS, file, post, send, type Target } from './attacks.fake.ts'
import { startChatServer, type ChatServer } from './chat-server.ts'
import type { Conversation } from './conversation.ts'
import { answered, startExample, until, type ExampleServer } from './example-server.fake.ts'
import type { Change, ChatState } from './change.ts'
import type { Item, SpokenItem } from './item.ts'

const finish: ModelEvent = { type: 'finish', index: 0, reason: 'stop' }

describe('a request', () => {
  let example: ExampleServer
  let server: ChatServer
  let conversation: Conversation
  const use = (started: ExampleServer): void => {
    ;({ server, conversation } = started)
  }
  beforeAll(async () => {
    example = await startExample(functionModel(() => 'Hello.'))
    use(example)
  })
  afterAll(() => example[Symbol.asyncDispose]())

  const target = (): Target => ({ ...server, chat: conversation.id })

  it.each(ATTACKS)('%s is refused with %i', async (_, status, attack) => {
    const before = [conversation.lines.items, conversation.state, server.chats.list]
    const refused = await attack(target())
    expect(refused.status).toBe(status)
    expect(JSON.parse(refused.text)).toEqual({ error: expect.stringMatching(/\w/u) as unknown })
    expect(refused.text).not.toContain(server.token)
    expect([conversation.lines.items, conversation.state, server.chats.list]).toEqual(before)
  })

  it('for the page gets security headers', async () => {
    const { status, headers, text } = await send(server, '/')
    expect(status).toBe(200)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'/u)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    expect(text).not.toContain(server.token)
  })

  it('through a proxy is accepted under the address of the page, and from no other site', async () => {
    const origin = 'https://chat.example.org'
    await using proxied = await startChatServer({ host: example.host, origin, token: server.token })
    const { port } = proxied
    const at = { origin: `http://127.0.0.1:${port}`, token: server.token, chat: conversation.id }
    const status = async (host: string, from: string): Promise<number> =>
      (await post(at, { host, origin: from }, '{}', 'stop')).status
    expect(await status('chat.example.org', origin)).toBe(204)
    expect(await status('chat.example.org', 'http://chat.example.org')).toBe(403)
    expect(await status('chat.example.org', `http://127.0.0.1:${port}`)).toBe(403)
    expect(await status('other.example.org', origin)).toBe(403)
    expect(proxied.url).toBe(`${origin}/#${server.token}`)
  })

  it('for a file that the person has given gets its bytes to keep, and never as a page', async () => {
    const html = '<!doctype html><script>alert(1)</script>'
    const data = Buffer.from(html).toString('base64')
    const body = JSON.stringify({ text: '', files: [{ name: "../it's\r\n\u202E.html", data }] })
    await answered(conversation, async () => void (await post(target(), {}, body)))
    const { files, turn } = conversation.lines.items.findLast((item) => item.kind === 'user') as SpokenItem
    expect(files).toEqual([
      { name: "it's.html", url: expect.stringContaining('/files/') as unknown, size: html.length, isImage: false },
    ])
    const id = files![0]!.url!.replace(/^.*\//u, '')
    const got = await file(target(), id)
    expect([got.status, got.text]).toEqual([200, html])
    expect(got.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''it%27s.html",
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    // A file is that of its chat; a fork has a copy.
    const forked = await post(target(), {}, JSON.stringify({ turn }), 'forks')
    const other = { ...target(), chat: (JSON.parse(forked.text) as { readonly id: string }).id }
    expect((await file(other, id)).text).toBe(html)
    expect((await file({ ...target(), chat: server.chats.begin('group') }, id)).status).toBe(404)
  })

  it('for a fork gets the new chat, and none for a turn that is not there', async () => {
    await answered(conversation, async () => void (await post(target())))
    const forked = await post(target(), {}, '{"turn":0,"text":"Hello?"}', 'forks')
    expect(forked.status).toBe(200)
    const { id } = JSON.parse(forked.text) as { readonly id: string }
    expect(id).not.toBe(conversation.id)
    expect((await post({ ...target(), chat: id }, {}, '{"turn":1}', 'forks')).status).toBe(400)
    for (const body of ['{"turn":-1}', '{"turn":0.5}', '{"turn":"0"}', '{"turn":0,"text":" "}', '{}'])
      expect((await post(target(), {}, body, 'forks')).status).toBe(400)
  })

  it('with a message is accepted, and a second one is refused until the answer ends', async () => {
    const gate = Promise.withResolvers<void>()
    await using slow = await startExample(functionModel(() => ({ stream: [gate.promise, finish] })))
    use(slow)
    try {
      expect((await post(target())).status).toBe(204)
      expect((await post(target())).status).toBe(409)
      await answered(conversation, async () => gate.resolve())
      expect((await post(target())).status).toBe(204)
    } finally {
      use(example)
    }
  })
})

/** The content of a page, and the longest frame that it received. */
interface Shown {
  items: Item[]
  state: ChatState | null
  longest: number
  /** The last event id. */
  id: string | null
}

function apply(shown: Shown, change: Change): void {
  if (change.type === 'begin') shown.items.length = Math.min(shown.items.length, change.items)
  if (change.type === 'item') shown.items[change.index] = change.item
  if (change.type === 'state') shown.state = change.state
  if (change.type !== 'text') return
  const item = shown.items[change.index] as SpokenItem
  shown.items[change.index] = { ...item, text: item.text + change.text }
}

describe('watching pages', () => {
  /** A connected page that reads only when the test calls it. */
  async function watch(
    { server: { origin, token }, conversation: { id } }: Pick<ExampleServer, 'server' | 'conversation'>,
    last?: string,
  ): Promise<{ response: IncomingMessage; leave: () => void }> {
    const headers = last === undefined ? {} : { 'last-event-id': last }
    const sent = request(`${origin}/events?chat=${id}&token=${token}`, { agent: false, headers })
    sent.on('error', () => {})
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.on('error', () => {})
    return { response, leave: () => sent.destroy() }
  }
  /** Reads until the page shows the expected content. */
  async function read(response: IncomingMessage, fits: (shown: Shown) => boolean): Promise<Shown> {
    const shown: Shown = { items: [], state: null, longest: 0, id: null }
    let text = ''
    for await (const part of response.iterator({ destroyOnReturn: false })) {
      text += String(part)
      const frames = text.split('\n\n')
      text = frames.pop()!
      for (const frame of frames) {
        shown.longest = Math.max(shown.longest, frame.length)
        for (const line of frame.split('\n')) {
          if (line.startsWith('id: ')) shown.id = line.slice(4)
          if (line.startsWith('data: ')) apply(shown, JSON.parse(line.slice(6)) as Change)
        }
      }
      if (fits(shown)) return shown
    }
    throw new Error('the stream ended')
  }

  it('leave nothing behind when they disconnect during an answer', async () => {
    const gates = Array.from({ length: 2 }, () => Promise.withResolvers<void>())
    const models = functionModel(() => ({
      stream: [gates[0]!.promise, { type: 'textDelta', index: 0, text: 'x' }, gates[1]!.promise, finish],
    }))
    await using example = await startExample(models)
    const { conversation, server } = example
    const { watchers } = server
    const pages = await Promise.all(Array.from({ length: 20 }, () => watch(example)))
    await until(() => watchers.count === 20)
    const said = answered(conversation, () => conversation.say('Hi'))
    gates[0]!.resolve()
    for (const { leave } of pages) leave()
    await until(() => watchers.count === 0)
    expect(watchers.waiting).toBe(0)
    gates[1]!.resolve()
    await said
    expect(conversation.lines.items).toMatchObject([{ text: 'Hi' }, { text: 'x' }])
  })

  it('reconnect to any server by the last event id, and get only what they lack', async () => {
    const gate = Promise.withResolvers<void>()
    const rest = ['second ', 'third'].map((text): ModelEvent => ({ type: 'textDelta', index: 0, text }))
    const models = functionModel(() => ({
      stream: [{ type: 'textDelta', index: 0, text: 'first ' }, gate.promise, ...rest, finish],
    }))
    await using example = await startExample(models)
    const { conversation, server, host } = example
    await using other = await startChatServer({ host, token: server.token })
    await conversation.say('Hi')
    const page = await watch(example)
    const isText = (text: string) => (shown: Shown) => (shown.items[1] as SpokenItem | undefined)?.text === text
    const before = await read(page.response, isText('first '))
    page.leave()
    await answered(conversation, async () => gate.resolve())

    const back = await watch({ server: other, conversation }, before.id!)
    const lacking = await read(back.response, isText('first second third'))
    expect(lacking.items[0]).toBeUndefined()
    expect(Number(lacking.id)).toBeGreaterThan(Number(before.id))
    back.leave()
    for (const id of ['', 'x', '-1', '1e3', '99999999', lacking.id!.padStart(40, '9')]) {
      const stranger = await watch(example, id)
      expect((await read(stranger.response, isText('first second third'))).items).toEqual(conversation.lines.items)
      stranger.leave()
    }
  })

  it('are no more than the limit', async () => {
    await using example = await startExample(
      functionModel(() => ''),
      { limits: { maxPages: 1 } },
    )
    const { server } = example
    const { leave } = await watch(example)
    await until(() => server.watchers.count === 1)
    expect((await send(server, `/events?chat=${example.conversation.id}&token=${server.token}`)).status).toBe(503)
    leave()
  })

  it('have a bounded backlog while they do not read, slow nobody down, and get everything when they read again', async () => {
    const [BACKLOG, PIECE, PIECES] = [100_000, 10_000, 500]
    const piece: ModelEvent = { type: 'textDelta', index: 0, text: 'x'.repeat(PIECE) }
    const models = functionModel(() => ({ stream: [...Array.from({ length: PIECES }, () => piece), finish] }))
    await using example = await startExample(models, { limits: { backlog: BACKLOG } })
    const { conversation, server } = example
    const { watchers } = server
    let socket: Socket | null = null
    const add = watchers.add.bind(watchers)
    watchers.add = (response, ...rest) => {
      socket = response.socket
      add(response, ...rest)
    }
    const page = await watch(example)
    await until(() => watchers.count === 1 && watchers.waiting === 0)
    // Stops the socket here, because the buffers of the operating system would take megabytes.
    socket!.cork()
    let most = 0
    const tell = watchers.tell.bind(watchers)
    watchers.tell = (chat, change) => {
      tell(chat, change)
      most = Math.max(most, watchers.waiting)
    }
    await answered(conversation, () => conversation.say('Say much.'))
    // The answer has 5 MB.
    expect(most).toBeGreaterThan(BACKLOG)
    expect(most).toBeLessThan(BACKLOG + 2 * PIECE)
    // The page gets what it lacks in chunks, so that the backlog stays bounded while it catches up.
    const text = 'x'.repeat(PIECE * PIECES)
    let waiting = 0
    const watched = setInterval(() => (waiting = Math.max(waiting, watchers.waiting)), 0)
    socket!.uncork()
    const { state, longest } = await read(page.response, ({ items }) => (items[1] as { text?: string })?.text === text)
    clearInterval(watched)
    expect(waiting).toBeLessThan(BACKLOG + 4 * PIECE)
    expect(longest).toBeLessThan(4 * PIECE)
    expect(state).toEqual(conversation.state)
    page.leave()
  })

  it('are dropped when they read nothing for too long', async () => {
    const piece: ModelEvent = { type: 'textDelta', index: 0, text: 'x'.repeat(10_000) }
    const models = functionModel(() => ({ stream: [...Array.from({ length: 2000 }, () => piece), finish] }))
    await using example = await startExample(models, { limits: { backlog: 10_000, stallTimeout: 0 } })
    const { conversation, server } = example
    const { watchers } = server
    await watch(example)
    await until(() => watchers.count === 1)
    await answered(conversation, () => conversation.say('Say much.'))
    await until(() => watchers.count === 0)
  })
})
