import type { ChatOptions, ChatResult, ContentPart, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ChatJournal, ConversableAgent, tool, toolContent, type ConversableAgentOptions } from '../index.ts'

const PNG = 'iVBORw0KGgo='
const image: ContentPart = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }
const LINE = '[image: image/png, 8 bytes]'
const seen: ContentPart[] = [{ type: 'text', text: 'the page' }, image]

const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({
    name,
    io: { send: () => {}, input: () => 'exit' },
    humanInputMode: 'NEVER',
    ...options,
  })

/** A chat whose assistant asks for a picture and a number, and what its model was told of them. */
function program(execute: () => unknown = () => toolContent(seen)) {
  const told: unknown[] = []
  const user = agent('user')
  const assistant = agent('assistant', {
    llmConfig: functionModel(({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool')
      told.splice(0, told.length, ...results.map(({ content }) => content))
      if (results.length > 0) return 'seen'
      const calls = ['look', 'count'].map((name) => ({
        ...{ id: name, type: 'function' as const },
        function: { name, arguments: '{}' },
      }))
      return { content: null, tool_calls: calls }
    }),
  })
  const made = { calls: 0 }
  const look = (): unknown => {
    made.calls++
    return execute()
  }
  const parameters = { type: 'object' } as const
  user.registerForExecution(tool({ name: 'look', description: 'looks', parameters, execute: look }))
  user.registerForExecution(tool({ name: 'count', description: 'counts', parameters, execute: () => 3 }))
  return { user, assistant, told, made }
}

const options = { message: 'hi', maxTurns: 2 }

describe('a tool that gives an image', () => {
  const faces: Record<string, (from: ConversableAgent, to: ConversableAgent, more?: ChatOptions) => unknown> = {
    sync: (from, to, more) => from.initiateChatSync(to, { ...options, ...more }),
    async: (from, to, more) => from.initiateChat(to, { ...options, ...more }),
    stream: async (from, to, more) => {
      const stream = from.initiateChatStream(to, { ...options, ...more })
      for await (const _ of stream);
      return await stream.result
    },
  }

  it.each(Object.entries(faces))('shows it to the model, and a line to who reads text (%s)', async (_, face) => {
    const { user, assistant, told } = program()
    const { chatHistory } = (await face(user, assistant)) as ChatResult
    expect(told).toEqual([seen, '3'])
    const answer = chatHistory.find(({ tool_responses: responses }) => responses)!
    expect(answer.content).toBe(`the page\n${LINE}\n\n3`)
    expect(answer.tool_responses).toEqual([
      { tool_call_id: 'look', role: 'tool', content: seen },
      { tool_call_id: 'count', role: 'tool', content: '3' },
    ])
  })

  it('tells of it in events without its bytes', async () => {
    const events: XEvent[] = []
    const send = (event: XEvent): void => void events.push(event)
    const user = agent('user', { io: { send, input: () => '' } })
    user.registerForExecution(tool({ name: 'look', description: 'looks', execute: () => toolContent(seen) }))
    const outcome = await user.executeFunction({ name: 'look', arguments: '{}' }, { verbose: true })
    expect(outcome).toEqual([true, { name: 'look', role: 'function', content: seen }])
    expect(events.find(({ type }) => type === 'executedFunction')).toMatchObject({ content: `the page\n${LINE}` })
    expect(JSON.stringify(events.filter(({ type }) => type !== 'toolEnd'))).not.toContain(PNG)
    expect(JSON.stringify(events.find(({ type }) => type === 'toolEnd'))).toContain(PNG)
  })

  it('gives text alone as ever, and what JSON looks like it as JSON', async () => {
    for (const [given, expected] of [
      [toolContent([{ type: 'text', text: 'a' }]), 'a'],
      [seen, JSON.stringify(seen)],
      [JSON.parse(JSON.stringify(toolContent(seen))), JSON.stringify({ parts: seen })],
    ]) {
      const { user, assistant, told } = program(() => given)
      await user.initiateChat(assistant, options)
      expect(told[0]).toBe(expected)
    }
  })

  it('gives it in the older style as well', async () => {
    const told: unknown[] = []
    const user = agent('user', { functionMap: { look: () => toolContent(seen) } })
    const assistant = agent('assistant', {
      llmConfig: functionModel(({ messages }) => {
        const last = messages.at(-1)!
        if (last.role !== 'function') return { content: null, function_call: { name: 'look', arguments: '{}' } }
        told.push(last.content)
        return 'seen'
      }),
    })
    await user.initiateChat(assistant, options)
    expect(told).toEqual([seen])
  })

  it('is kept by the journal: a resumed chat shows the same without a call', async () => {
    const first = program()
    const journal = new ChatJournal()
    const { chatHistory } = await first.user.initiateChat(first.assistant, { ...options, journal })
    const { entries } = journal.saveState()
    expect(first.made.calls).toBe(1)
    for (let length = 0; length <= entries.length; length++) {
      const again = program()
      const saved = { version: 3, kind: 'chat', entries: entries.slice(0, length) }
      const resumed = ChatJournal.load(JSON.parse(JSON.stringify(saved)))
      const result = await again.user.initiateChat(again.assistant, { ...options, journal: resumed })
      expect(result.chatHistory).toEqual(chatHistory)
      const isKept = entries.slice(0, length).some(({ kind, name }) => kind === 'tool' && name === 'look')
      expect(again.made.calls).toBe(isKept ? 0 : 1)
    }
  })

  it('is saved with an agent', async () => {
    const { user, assistant } = program()
    await user.initiateChat(assistant, options)
    const state: unknown = JSON.parse(JSON.stringify(assistant.saveState()))
    const { assistant: other, user: person, told } = program()
    other.loadState(state)
    await person.send('and?', other, { requestReply: true })
    expect(told).toEqual([seen, '3'])
  })

  it('stays when the chat is stopped before the next call has answered', async () => {
    const stop = new AbortController()
    const { user, assistant } = program()
    user.registerForExecution(
      tool({
        name: 'count',
        description: 'never answers',
        execute: async () => {
          stop.abort(new Error('enough'))
          return await new Promise(() => {})
        },
      }),
    )
    await expect(user.initiateChat(assistant, { ...options, signal: stop.signal })).rejects.toThrow()
    const [look, count] = user.chatMessages.get(assistant)!.at(-1)!.tool_responses!
    expect(look!.content).toEqual(seen)
    expect(count!.content).toContain('stopped')
  })

  it('a damaged image is a line with the reason, and the chat goes on', async () => {
    const broken: ContentPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,PHN2Zz4=' } }
    const { user, assistant, told } = program(() => toolContent([broken]))
    const { summary } = await user.initiateChat(assistant, options)
    expect(told[0]).toMatch(/^\[image: image\/png, 5 bytes; left out: /u)
    expect(summary).toBe('seen')
  })
})
