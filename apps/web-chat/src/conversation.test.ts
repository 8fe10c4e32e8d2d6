import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tool } from '@x/agent'
import { sqlite } from '@x/host'
import type { ChatMessage, ContentPart, LlmConfig } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { createSessionAgents } from '@x/session'
import { functionModel } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_CHAT_FILE_BYTES } from './attachment.ts'
import { createChatHost } from './chat-host.ts'
import { ChatIds, turnId } from './chat-ids.ts'
import { deleteTurn } from './chat-reader.ts'
import { Chats } from './chats.ts'
import type { Conversation } from './conversation.ts'
import { answered, fastAgents, startExample, startWorker, until } from './example-server.fake.ts'
import type { ToolItem } from './item.ts'
import { checkFiles, type KeptFile } from './kept-files.ts'

const toolsOf = ({ lines: { items } }: Conversation): ToolItem[] => items.filter((item) => item.kind === 'tool')
const lastText = ({ lines: { items } }: Conversation): unknown => (items.at(-1) as { text?: string } | undefined)?.text

it('takes a decision while an earlier approved call still runs, and makes every call once', async () => {
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: { type: 'object', properties: { to: { type: 'string' } } },
    needsApproval: true,
    async execute({ to }) {
      if (to === 'first') await gate.promise
      done.push(String(to))
      return `paid ${String(to)}`
    },
  })
  const llmConfig = functionModel(({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return 'Both paid.'
    const calls = ['first', 'second'].map((to) => ({
      id: to,
      function: { name: 'pay', arguments: JSON.stringify({ to }) },
    }))
    return { tool_calls: calls }
  })
  const agents = (): ReturnType<typeof createSessionAgents> =>
    createSessionAgents({ llmConfig, systemMessage: '', tools: [pay] })
  await using example = await startExample(undefined, { agents })
  const { conversation } = example
  await conversation.say('Pay both.')
  await until(() => conversation.state.waiting && !conversation.state.busy)
  const [first, second] = toolsOf(conversation) as [ToolItem, ToolItem]
  expect([first.state, second.state]).toEqual(['waiting', 'waiting'])
  await expect(conversation.say('And?')).rejects.toThrow(/decide on it first/u)

  await conversation.decide(first.approval!, { allow: true })
  await until(() => toolsOf(conversation)[0]!.state === 'running')
  await conversation.decide(second.approval!, { allow: true })
  await expect(conversation.decide(second.approval!, { allow: true })).rejects.toMatchObject({ code: 'invalid-state' })
  await answered(conversation, async () => gate.resolve())
  expect(done).toEqual(['first', 'second'])
  expect(toolsOf(conversation).map(({ state, result }) => [state, result])).toEqual([
    ['done', 'paid first'],
    ['done', 'paid second'],
  ])
  expect(lastText(conversation)).toBe('Both paid.')
})

describe('over processes', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'conversation-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Starts a server and a worker on the file, as another process would. */
  async function openFile(llmConfig?: LlmConfig): Promise<{
    chats: Chats
    letters: readonly string[]
    use: (id: string) => Promise<Conversation>
    stopWorking: () => Promise<void>
    [Symbol.asyncDispose]: () => Promise<void>
  }> {
    const { agents, letters } = fastAgents(llmConfig)
    const host = createChatHost(sqlite(join(folder, 'chats.db')), agents)
    const chats = new Chats({ host, ids: new ChatIds('a secret'), tell: () => {} })
    await chats.open()
    const worker = startWorker(host)
    const stopWorking = async (): Promise<void> => await worker[Symbol.asyncDispose]()
    return {
      ...{ chats, letters, stopWorking },
      use: async (id) => (await chats.use(id))!.chat,
      async [Symbol.asyncDispose]() {
        await stopWorking()
        await chats.close()
        await host.host.close()
      },
    }
  }

  it('a question of a tool waits, is answered in another process, and its answer is used once', async () => {
    const asking: LlmConfig = functionModel(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? `Thank you for ${JSON.stringify(messages.at(-1)!.content)}.`
        : { tool_calls: [{ id: 'q', function: { name: 'ask_person', arguments: '{"question":"Which?"}' } }] },
    )
    await using one = await openFile(asking)
    const id = one.chats.begin()
    await answered(await one.use(id), async () => (await one.use(id)).say('Ask me.'))
    await one.stopWorking()

    await using other = await openFile(asking)
    const chat = await other.use(id)
    expect(chat.lines.items.at(-1)).toMatchObject({ kind: 'question', id: '2-1', text: 'Which?' })
    await chat.answer('2-1', 'blue')
    await until(() => lastText(chat) === 'Thank you for "blue".')
    expect(toolsOf(chat)).toMatchObject([{ state: 'done', result: 'blue' }])
    await expect(chat.answer('2-1', 'red')).rejects.toThrow(/not open/u)
    expect(other.chats.list.chats).toMatchObject([{ id, kind: 'assistant', title: 'Ask me.' }])
  })

  it('a group shows the next speaker and the reason, asks the person, who may stay silent, and looks the same everywhere', async () => {
    await using one = await openFile()
    const id = one.chats.begin('group')
    const first = await one.use(id)
    expect(first.state).toMatchObject({ title: null, members: ['planner', 'cook', 'critic', 'buyer'], busy: false })
    await first.say('A dinner, please.')
    await until(() => first.state.turn !== null)
    expect(first.state).toMatchObject({
      busy: true,
      next: { name: 'user', reason: 'chosen by the model' },
      title: 'A dinner, please.',
      usage: { models: ['simulated'], cost: 0, unpriced: false },
    })
    expect(first.state.usage.promptTokens).toBeGreaterThan(0)
    await until(() => one.chats.list.chats[0]?.asks === true)
    await one.stopWorking()

    await using other = await openFile()
    const chat = await other.use(id)
    expect(chat.state.turn).toBe('2')
    await chat.answer(chat.state.turn!, '')
    await until(() => chat.state.waiting && !chat.state.busy)
    const [, order] = toolsOf(chat)
    expect(order).toMatchObject({ by: 'buyer', name: 'order_groceries', state: 'waiting' })
    expect(order!.fields!.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'shop: choice',
      'items: list',
      'limit: number',
      'note: text',
      'express: flag',
    ])
    const tokens = chat.state.usage
    await answered(chat, () => chat.decide(order!.approval!, { allow: true }))
    const names = chat.lines.items.flatMap((item) =>
      'name' in item ? [item.kind === 'tool' ? item.by : item.name] : [],
    )
    expect(names).toEqual(['user', 'planner', 'user', 'cook', 'critic', 'buyer', 'buyer', 'buyer', 'planner'])
    expect(chat.lines.items[2]).toMatchObject({ silent: true })
    expect(chat.lines.items.at(-1)).toMatchObject({ model: 'simulated' })
    expect(lastText(chat)).toMatch(/Dinner is at eight\.$/u)
    expect(other.letters).toHaveLength(1)
    expect(chat.state).toMatchObject({ busy: false, next: null, turn: null, waiting: false })
    expect(chat.state.usage.promptTokens).toBeGreaterThan(tokens.promptTokens)
    await until(() => first.lines.step === chat.lines.step)
    expect(first.lines.items).toEqual(chat.lines.items)
    expect(first.state).toEqual(chat.state)
  })
})

describe('a later message', () => {
  it('follows all earlier messages, also after an answer that was stopped or failed', async () => {
    const never = new Promise<void>(() => {})
    const heard: string[][] = []
    const models = functionModel(({ messages }) => {
      heard.push(
        messages.slice(1).map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : '-'}`),
      )
      if (heard.length === 2)
        return { tool_calls: [{ id: 'q', function: { name: 'ask_person', arguments: '{"question":"Which?"}' } }] }
      if (heard.length === 3) throw new Error('no model')
      if (heard.length === 4) return { stream: [{ type: 'textDelta', index: 0, text: 'It begins' }, never] }
      return `answer ${heard.length}`
    })
    await using example = await startExample(models)
    const { conversation } = example
    const { items } = conversation.lines
    await answered(conversation, () => conversation.say('one'))
    await answered(conversation, () => conversation.say('two'))
    await conversation.stop()
    await until(() => lastText(conversation) === 'Stopped.')
    expect(items.find(({ kind }) => kind === 'question')).toMatchObject({ answer: null })
    await answered(conversation, () => conversation.say('three'))
    expect(lastText(conversation)).toMatch(/^It failed: /u)
    await conversation.say('four')
    await until(() => lastText(conversation) === 'It begins')
    await conversation.stop()
    await until(() => lastText(conversation) === 'Stopped.')
    await answered(conversation, () => conversation.say('five'))
    expect(lastText(conversation)).toBe('answer 5')
    expect(heard.at(-1)).toEqual([
      'user: one',
      'assistant: answer 1',
      'user: two',
      'assistant: -',
      'tool: Error: the call was stopped before it answered',
      'user: three',
      'user: four',
      'user: five',
    ])
  })

  it('is accepted once when several pages send one at the same time', async () => {
    await using example = await startExample(functionModel(() => 'Yes.'))
    const { conversation, host } = example
    const said = await Promise.allSettled(['a', 'b', 'c'].map((text) => conversation.say(text)))
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await until(() => lastText(conversation) === 'Yes.')
    expect(await host.host.get(turnId(conversation.id, 1))).toBeNull()
  })
})

describe('a fork', () => {
  it('has the turns before it, with what they cost, does its own anew, and leaves the other chat as it is', async () => {
    const heard: string[] = []
    const never = new Promise<void>(() => {})
    const models = functionModel(({ messages }) => {
      const said = messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content))
      heard.push(said.join(', '))
      if (said.at(-1) === 'stop') return { stream: [{ type: 'textDelta', index: 0, text: 'It begins' }, never] }
      if (heard.length === 3) throw new Error('no model')
      return `answer ${heard.length}`
    })
    await using example = await startExample(models)
    const { conversation, server } = example
    await answered(conversation, () => conversation.say('one'))
    await conversation.say('stop')
    await until(() => lastText(conversation) === 'It begins')
    await conversation.stop()
    await until(() => lastText(conversation) === 'Stopped.')
    await answered(conversation, () => conversation.say('three'))
    const before = structuredClone(conversation.lines.items)
    const linesOf = async (id: string): Promise<unknown[]> => {
      using used = (await server.chats.use(id))!
      await until(() => !used.chat.state.busy && lastText(used.chat)?.toString().startsWith('answer') === true)
      return used.chat.lines.items.map((item) => ('text' in item ? item.text : item.kind))
    }
    const shared = ['one', 'answer 1', 'stop', 'It begins', 'Stopped.']
    // The failed turn again, then another text in it.
    const again = await server.chats.fork(conversation.id, 2, undefined)
    expect(await linesOf(again)).toEqual([...shared, 'three', 'answer 4'])
    const edited = await server.chats.fork(again, 2, 'third')
    expect(await linesOf(edited)).toEqual([...shared, 'third', 'answer 5'])
    expect(await linesOf(await server.chats.fork(edited, 0, undefined))).toEqual(['one', 'answer 6'])
    expect(heard).toEqual(['one', 'one, stop', 'one, stop, three', 'one, stop, three', 'one, stop, third', 'one'])
    expect(conversation.lines.items).toEqual(before)
    await until(() => server.chats.list.chats.length === 4)
  })

  it('outlives the chat that it comes from, and calls no tool twice', async () => {
    await using example = await startExample()
    const { conversation, server, letters } = example
    await answered(conversation, () => conversation.say('Send a letter to Ada'))
    await answered(conversation, () => conversation.decide(toolsOf(conversation)[0]!.approval!, { allow: true }))
    await answered(conversation, () => conversation.say('Hello?'))
    const id = await server.chats.fork(conversation.id, 1, 'Well?')
    const { host } = example.host
    await host.result(turnId(id, 0))
    await host.result(turnId(id, 1))
    for (const turn of [0, 1]) expect(await host.delete(turnId(conversation.id, turn))).toBe(true)
    using used = (await server.chats.use(id))!
    await until(() => used.chat.lines.items.length > 4)
    expect(used.chat.lines.items.slice(0, 3)).toMatchObject([
      { kind: 'user', text: 'Send a letter to Ada', turn: 0 },
      { kind: 'tool', name: 'send_letter', state: 'done', result: 'sent to Ada' },
      { kind: 'assistant' },
    ])
    expect(letters).toHaveLength(1)
  })

  it('has the files of its turns, also when the first chat was forgotten, and a title of its own', async () => {
    const heard: string[][] = []
    const partsOf = ({ content }: ChatMessage): string[] =>
      typeof content === 'string'
        ? [content]
        : (content as ContentPart[]).map((part) => (part.type === 'text' ? part.text : part.type))
    const models = functionModel(({ messages }) => {
      heard.push(messages.filter(({ role }) => role === 'user').flatMap(partsOf))
      return `answer ${heard.length}`
    })
    await using example = await startExample(models)
    const { conversation, server, host } = example
    const given = (name: string, bytes: string): KeptFile[] =>
      checkFiles([{ name, data: Buffer.from(bytes, 'latin1').toString('base64') }])
    const sky = given('sky.png', '\x89PNG\r\n\x1a\n')
    await answered(conversation, () => conversation.say('Look.', sky))
    await answered(conversation, () => conversation.say('', given('b.txt', 'some words')))
    const shared = ['Look.', 'image_url']
    const words = 'The file b.txt:\n\nsome words'
    expect(heard).toEqual([shared, [...shared, words]])

    const edited = await server.chats.fork(conversation.id, 1, 'Read.')
    await host.host.result(turnId(edited, 1))
    const again = await server.chats.fork(conversation.id, 1, undefined)
    await host.host.result(turnId(again, 1))
    expect(heard.slice(2)).toEqual([
      [...shared, 'Read.', words],
      [...shared, words],
    ])
    const titles = (): ReadonlySet<string | null> => new Set(server.chats.list.chats.map(({ title }) => title))
    await until(() => titles().size === 3)
    expect(titles()).toEqual(new Set(['Look.', 'Read.', 'b.txt (again)']))

    using used = (await server.chats.use(edited))!
    expect(used.chat.state.title).toBe('Read.')
    await host.host.cancel(turnId(again, 1))
    for (const turn of [1, 0]) await deleteTurn(host, (await host.host.get(turnId(conversation.id, turn)))!)
    expect(await server.chats.file(conversation.id, sky[0]!.id)).toBeUndefined()
    expect(await server.chats.file(edited, sky[0]!.id)).toEqual(sky[0])
    await answered(used.chat, () => used.chat.say('And?'))
    expect(heard.at(-1)).toEqual([...shared, 'Read.', words, 'And?'])
  })

  it('takes no more files than a chat may have', async () => {
    await using example = await startExample(functionModel(() => 'Yes.'))
    const { conversation } = example
    const { host, programs } = example.host
    const files = [{ id: '0'.repeat(32), name: 'a.txt', type: 'text/plain', size: MAX_CHAT_FILE_BYTES }] as const
    const input = { chat: conversation.id, turn: 0, text: 'Look.', files }
    await answered(conversation, () => host.submit(programs.assistant, input, { id: turnId(conversation.id, 0) }))
    const one = checkFiles([{ name: 'b.txt', data: 'eA==' }])
    await expect(conversation.say('', one)).rejects.toThrow(/at most 20.0 MB together: begin a new chat/u)
    await answered(conversation, () => conversation.say('No file.'))
    expect(lastText(conversation)).toBe('Yes.')
  })

  it('is refused for a turn that is not there, or has not ended', async () => {
    await using example = await startExample()
    const { conversation, server } = example
    await expect(server.chats.fork(conversation.id, 0, undefined)).rejects.toMatchObject({ code: 'invalid-argument' })
    await answered(conversation, () => conversation.say('Send a letter to Ada'))
    await expect(server.chats.fork(conversation.id, 0, undefined)).rejects.toMatchObject({ code: 'invalid-state' })
    const id = await server.chats.fork(conversation.id, 0, 'Hello?')
    await example.host.host.result(turnId(id, 0))
    expect(conversation.state.waiting).toBe(true)
  })
})

it('has unguessable identifiers, which only servers with the same token accept before the first message', () => {
  const [one, same, other] = [new ChatIds('a'), new ChatIds('a'), new ChatIds('b')]
  const id = one.create('group')
  expect([one.isOwn(id), same.isOwn(id), other.isOwn(id)]).toEqual([true, true, false])
  expect(one.isOwn(id.replace('group', 'assistant'))).toBe(false)
  expect(new Set(Array.from({ length: 100 }, () => one.create('assistant'))).size).toBe(100)
})
