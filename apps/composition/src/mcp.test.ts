import { AssistantAgent, ChatJournal, UserProxyAgent } from '@x/agent'
import type { Io, LlmConfig, XEvent } from '@x/interfaces'
import { mcp, type McpConnection } from '@x/mcp'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'

/** A server in a few lines: its name is in what it gives, and it counts its calls. */
const program = (name: string): string => `
let calls = 0
const tool = (name, annotations) => ({ name, description: name, inputSchema: { type: 'object' }, annotations })
const answers = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [tool('look', { readOnlyHint: true }), tool('write')] }),
  'tools/call': ({ name, _meta }) => ({ content: [{ type: 'text', text: [name, 'of ${name}', ++calls, _meta['x/key'] ? 'keyed' : ''].join(' ') }] }),
}
require('readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const its = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: 'unknown' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...its }))
})`

const connect = async (name: string): Promise<McpConnection> =>
  await mcp({ name, command: process.execPath, args: ['-e', program(name)] })

/** Calls these tools, one after the other, and says what the last one gave. */
function caller(...names: string[]): LlmConfig {
  return functionModel(({ messages }) => {
    const given = messages.filter(({ role }) => role === 'tool').length
    const name = names[given]
    if (name) return { tool_calls: [{ id: `c${given}`, function: { name, arguments: '{}' } }] }
    return `${messages.at(-1)?.content as string}. TERMINATE`
  })
}

/** Tools that a server calls read-only need no approval. */
const trust = 'annotations'

const silent: Io = { send: () => {}, input: () => '' }

describe('tools of MCP servers in chats', () => {
  it('of two servers have names of their own, and go with the agent', async () => {
    await using one = await connect('one')
    await using two = await connect('two')
    const assistant = new AssistantAgent({ name: 'a', llmConfig: caller('one__look', 'two__look'), io: silent })
    assistant.use([...one.tools({ allow: ['look'], trust }), ...two.tools({ allow: ['look'], trust })])
    const { toolCalls } = await assistant.run('Look.')
    const results = toolCalls.map(({ result }) => result)
    expect(results).toEqual(['look of one 1 keyed', 'look of two 1 keyed'])
  })

  it('wait for an approval unless they are read-only, and are called once though the chat is resumed', async () => {
    await using its = await connect('s')
    const chat = async (journal: ChatJournal): Promise<unknown> => {
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig: caller('s__write', 's__look'), io: silent })
      clerk.use(its.tools({ allow: 'all', trust }))
      const { terminationReason, text } = await clerk.run('Write.', { journal })
      return [terminationReason, text]
    }
    const journal = new ChatJournal()
    expect(await chat(journal)).toEqual(['suspended', expect.anything()])
    expect(journal.pending).toMatchObject([{ action: { type: 'toolCall', name: 's__write' } }])
    await journal.decide(journal.pending[0]!.id, { allow: true })
    const loaded = ChatJournal.load(JSON.parse(JSON.stringify(journal.saveState())))
    expect(await chat(loaded)).toEqual([expect.any(String), 'look of s 2 keyed.'])
    expect(await chat(ChatJournal.load(loaded.saveState()))).toEqual([expect.any(String), 'look of s 2 keyed.'])
    expect((await its.callTool('look')).text).toBe('look of s 3 ')
  })

  it('are refused in blocking operations before anything is sent', async () => {
    await using its = await connect('s')
    const assistant = new AssistantAgent({ name: 'a', llmConfig: caller('s__look'), io: silent })
    assistant.use(its.tools({ allow: ['look'], trust }))
    const user = new UserProxyAgent({ name: 'u', humanInputMode: 'NEVER', io: silent })
    expect(() => user.initiateChatSync(assistant, { message: 'Look.' })).toThrow(
      expect.objectContaining({
        code: 'async-in-sync',
        message: expect.stringContaining('s__look') as string,
      }) as Error,
    )
    expect((await its.callTool('look')).text).toBe('look of s 1 ')
  })

  it('are told of in events, and stop with the run', async () => {
    await using its = await connect('s')
    const events: XEvent[] = []
    const stop = new AbortController()
    const assistant = new AssistantAgent({ name: 'a', llmConfig: caller('s__look', 's__look'), io: silent })
    assistant.use(its.tools({ allow: ['look'], trust }))
    const emit = (event: XEvent): void => {
      events.push(event)
      if (event.type === 'toolStart') stop.abort()
    }
    await expect(assistant.run('Look.', { userInput: false, emit, signal: stop.signal })).rejects.toMatchObject({
      code: 'aborted',
    })
    expect(events.filter(({ type }) => type === 'toolEnd')).toMatchObject([{ name: 's__look', outcome: 'aborted' }])
  })

  it('show the model an image, which the history keeps', async () => {
    const picture = program('s').replace(
      "{ type: 'text', text:",
      "{ type: 'image', mimeType: 'image/png', data: PNG, text:",
    )
    const args = ['-e', `const PNG = 'iVBORw0KGgo='\n${picture}`]
    await using its = await mcp({ name: 's', command: process.execPath, args })
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const told: unknown[] = []
    const llmConfig = functionModel(({ messages }) => {
      const last = messages.at(-1)!
      if (last.role !== 'tool') return { tool_calls: [{ id: 'c', function: { name: 's__look', arguments: '{}' } }] }
      told.push(last.content)
      return 'seen TERMINATE'
    })
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig, io: silent }).use(
      its.tools({ allow: ['look'], trust }),
    )
    const { messages, toolCalls } = await clerk.run('Look.')
    expect(told).toEqual([[image]])
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ content: [image] })
    expect(toolCalls).toMatchObject([{ result: '[image: image/png, 8 bytes]' }])
  })
})
