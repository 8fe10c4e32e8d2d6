import { Readable } from 'node:stream'
import { createAgent, tool } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { LlmConfig, XEvent } from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'
import { fromUiMessages, hasDecided, toSseResponse, toUiMessageResponse, type UiAgentMessage } from '@x/ui'
import { isToolUIPart, type UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { decideOn, readResponse } from './ai-sdk.ts'

const SIGNING = { secret: 'a secret of the server with 32 characters', scope: 'ann' }
const NO_PARAMETERS = { type: 'object', properties: {} }

const call = (
  id: string,
  name: string,
  args: object = {},
): { id: string; function: { name: string; arguments: string } } => ({
  id,
  function: { name, arguments: JSON.stringify(args) },
})
const calling = (name: string, json: string): ReturnType<typeof call> => ({
  id: name,
  function: { name, arguments: json },
})
const says = (...replies: ScriptedReply[]): LlmConfig => functionModel(() => replies.shift() ?? 'no more')
const simple = (name: string, execute: () => unknown, needsApproval = false): ReturnType<typeof tool> =>
  tool({ name, description: name, parameters: NO_PARAMETERS, needsApproval, execute })

const shapes = (message: UIMessage | undefined): string[] | undefined =>
  message?.parts.map((part) => {
    if ('text' in part) return `${part.type}: ${part.text}`
    return 'state' in part ? `${part.type} ${part.state}` : part.type
  })

describe('a run', () => {
  it('is one message with its texts, calls, usage and cost', async () => {
    const weather = tool({
      name: 'weather',
      description: 'The weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      execute: ({ city }) => ({ city, celsius: 6 }),
    })
    const first = { content: 'Let me see.', tool_calls: [call('c1', 'weather', { city: 'Oslo' })] }
    const run = createAgent({ name: 'bot', model: says(first, 'Take a coat.'), tools: weather }).runStream('Oslo?')
    const { message, errors, chunks } = await readResponse(toUiMessageResponse(run))
    const { usage, cost } = await run.result
    expect(errors).toEqual([])
    expect(shapes(message)).toEqual([
      'step-start',
      'text: Let me see.',
      'tool-weather output-available',
      'step-start',
      'text: Take a coat.',
    ])
    const input = { city: 'Oslo' }
    expect(message?.parts[2]).toMatchObject({ toolCallId: 'c1', input, output: { city: 'Oslo', celsius: 6 } })
    expect(message?.metadata).toEqual({
      usage: { inputTokens: usage.promptTokens, outputTokens: usage.completionTokens, totalTokens: usage.totalTokens },
      cost,
      terminationReason: 'answered',
    })
    expect(chunks.filter(({ type }) => type === 'tool-input-delta').length).toBeGreaterThan(1)
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  })

  it('has the same message without pieces of answers', async () => {
    const agent = createAgent({
      name: 'bot',
      model: says({ tool_calls: [call('c1', 'look')] }, 'Seen.'),
      tools: simple('look', () => 'x'),
    })
    const events: XEvent[] = []
    await agent.run('q', { emit: (event) => void events.push(event) })
    const { message } = await readResponse(toUiMessageResponse(Readable.from(events)))
    expect(shapes(message)).toEqual(['step-start', 'tool-look output-available', 'step-start', 'text: Seen.'])
  })

  it('shows agents inside tools as messages of their own, and asks for their decisions', async () => {
    const inner = simple('inner', () => 'inner result', true)
    const expertModel = says({ content: 'Wait.', tool_calls: [call('c1', 'inner')] }, 'The expert knows.')
    const expert = createAgent({ name: 'expert', description: 'e', model: expertModel, tools: inner })
    const ask = tool({
      name: 'ask',
      description: 'a',
      parameters: NO_PARAMETERS,
      execute: (_, { io }) => io?.input('Colour?'),
    })
    // All calls have ids that are used more than once.
    const calls = [call('c1', 'refund'), call('c1', 'expert', { question: 'q' }), call('c3', 'ask')]
    const agent = createAgent({
      name: 'bot',
      model: says({ tool_calls: calls }, 'Done.'),
      tools: [simple('refund', () => 'refunded', true), ask, expert.asTool()],
    })
    const run = agent.runStream('q')
    const asked = await readResponse(toUiMessageResponse(run, SIGNING))
    expect(asked.chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' })
    const { journal } = await run.result
    expect(journal!.pending).toHaveLength(3)
    expect(hasDecided({ messages: [asked.message!] })).toBe(false)
    const decided = decideOn(asked.message!, { refuse: 'tool-refund', answer: 'blue' })
    expect(hasDecided({ messages: [decided] })).toBe(true)

    const page = await fromUiMessages({ messages: [decided] }, { ...SIGNING, by: 'ann' })
    expect(page.message).toBeNull()
    expect(await page.decideIn(journal!)).toBe(3)
    // A request that comes twice decides once.
    expect(await page.decideIn(journal!)).toBe(0)
    const goesOn = agent.runStream('q', { journal: journal! })
    const { message, errors } = await readResponse(
      toUiMessageResponse(goesOn, { ...SIGNING, continues: page.continues }),
      decided,
    )
    const { toolCalls } = await goesOn.result
    expect(errors).toEqual([])
    expect(message!.id).toBe(asked.message!.id)
    expect(hasDecided({ messages: [message!] })).toBe(false)
    const shown = message!.parts.filter(isToolUIPart)
    expect(Object.fromEntries(shown.map(({ type, state, output }) => [type, output ?? state]))).toEqual({
      'tool-refund': 'output-denied',
      'tool-expert': 'The expert knows.',
      'tool-ask': 'blue',
      'tool-ask_person': 'blue',
      'tool-inner': 'inner result',
    })
    expect(toolCalls.find(({ name }) => name === 'ask')?.result).toBe('blue')
    const agents = message!.parts.flatMap((part) => (part.type === 'data-agent' ? [part.data as UiAgentMessage] : []))
    expect(
      agents.map(
        ({ metadata: { state }, parts }) => state ?? parts.map((part) => ('text' in part ? part.text : part.state)),
      ),
    ).toEqual(['done', ['Wait.'], ['output-available'], ['The expert knows.']])
    expect(new Set(agents.map(({ metadata: { agent: name } }) => name))).toEqual(new Set(['expert']))
  })

  it('asks anew behind a cut of its journal: a decision is for the action that the page has seen', async () => {
    const done: unknown[] = []
    const refund = tool({
      name: 'refund',
      description: 'r',
      parameters: { type: 'object', properties: { euros: { type: 'number' } } },
      needsApproval: true,
      execute: ({ euros }) => void done.push(euros),
    })
    const asks = (euros: number): ScriptedReply => ({ tool_calls: [call('c1', 'refund', { euros })] })
    const agent = createAgent({ name: 'bot', model: says(asks(1), asks(1000), 'Done.'), tools: refund })
    const run = agent.runStream('q')
    const asked = await readResponse(toUiMessageResponse(run, SIGNING))
    const { journal } = await run.result
    const first = journal!.saveState().entries.find(({ kind }) => kind === 'model')
    journal!.cut(first!.place)
    const again = agent.runStream('q', { journal: journal! })
    const askedAgain = await readResponse(toUiMessageResponse(again, SIGNING))
    await again.result
    expect(journal!.pending.map(({ action }) => action)).toMatchObject([{ arguments: { euros: 1000 } }])
    const old = await fromUiMessages([decideOn(asked.message!)], SIGNING)
    expect(await old.decideIn(journal!)).toBe(0)
    const right = await fromUiMessages([decideOn(askedAgain.message!)], SIGNING)
    expect(old.decisions[0]?.id).toBe(right.decisions[0]?.id)
    expect(await right.decideIn(journal!)).toBe(1)
    await agent.run('q', { journal: journal! })
    expect(done).toEqual([1000])
  })

  it('tells of an agent inside a tool in a length that grows as what it does', async () => {
    const sizeOf = async (turns: number): Promise<number> => {
      const looks = Array.from({ length: turns }, (_, index) => ({
        content: 'Next.',
        tool_calls: [call(`c${index}`, 'look')],
      }))
      const expert = createAgent({
        name: 'expert',
        description: 'e',
        model: says(...looks, 'Seen.'),
        tools: simple('look', () => 'x'.repeat(100)),
      })
      const model = says({ tool_calls: [call('c1', 'expert', { question: 'q' })] }, 'Done.')
      const run = createAgent({ name: 'bot', model, tools: expert.asTool() }).runStream('q')
      const { chunks, message } = await readResponse(toUiMessageResponse(run))
      expect(message!.parts.filter(({ type }) => type === 'data-agent')).toHaveLength(2 * turns + 2)
      return JSON.stringify(chunks.filter(({ type }) => type === 'data-agent')).length
    }
    expect(await sizeOf(60)).toBeLessThan(2.3 * (await sizeOf(30)))
  })

  it('tells a page of an error in words of the server, and ends what was under way', async () => {
    const model = says({ stream: [{ type: 'textDelta', index: 0, text: 'Half' }], error: new Error('sk-1234') })
    const run = createAgent({ name: 'bot', model }).runStream('q')
    const { chunks, errors } = await readResponse(toUiMessageResponse(run))
    expect(JSON.stringify(chunks)).not.toContain('sk-1234')
    expect(chunks.slice(-5).map(({ type }) => type)).toEqual([
      'text-end',
      'finish-step',
      'message-metadata',
      'error',
      'finish',
    ])
    expect(errors).toEqual([new Error('Something went wrong.')])
  })

  it('has no id of its own if it fails before it begins', async () => {
    async function* fail(): AsyncGenerator<XEvent> {
      yield* []
      throw new Error('sk-1234')
    }
    const { chunks } = await readResponse(toUiMessageResponse(fail()))
    expect(chunks[0]).toEqual({ type: 'start' })
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' })
  })

  it('says no more of a tool that fails than the server wants', async () => {
    const fails = simple('fails', () => {
      throw new Error('secret of /srv')
    })
    const agent = () =>
      createAgent({ name: 'bot', model: says({ tool_calls: [call('c1', 'fails')] }, 'Sorry.'), tools: fails })
    const plain = await readResponse(toUiMessageResponse(agent().runStream('q')))
    expect(JSON.stringify(plain.chunks)).not.toContain('secret')
    expect(shapes(plain.message)).toContain('tool-fails output-error')
    const told = toUiMessageResponse(agent().runStream('q'), { errorText: ({ message }) => message })
    expect(JSON.stringify((await readResponse(told)).chunks)).toContain('secret of /srv')
  })

  it.each([
    ['{"__proto__":{"a":1}}', {}],
    ['{"constructor":{"prototype":{"a":1}}}', '{"constructor":{"prototype":{"a":1}}}'],
  ])('is whole with an input and a result that clients refuse as objects: %s', async (json, input) => {
    const echo = simple('echo', () => `[${json}]`)
    const asks = says({ tool_calls: [calling('echo', json)] }, 'in')
    const inner = createAgent({ name: 'inner', description: 'i', model: asks, tools: echo })
    const first = { tool_calls: [calling('echo', json), calling('inner', '{"question":"q"}')] }
    const run = createAgent({ name: 'bot', model: says(first, 'Done.'), tools: [echo, inner.asTool()] }).runStream('q')
    const { message, errors } = await readResponse(toUiMessageResponse(run))
    expect(errors).toEqual([])
    expect(message?.parts[1]).toMatchObject({ type: 'tool-echo', input, output: `[${json}]` })
    expect(shapes(message)?.at(-1)).toBe('text: Done.')
  })

  it('has the usual words for an error of which the server says nothing', async () => {
    const fails = simple('fails', () => {
      throw new Error('no')
    })
    for (const errorText of [() => undefined as never, () => expect.fail('a fault of the server')]) {
      const agent = createAgent({
        name: 'bot',
        model: says({ tool_calls: [call('c1', 'fails')] }, 'Sorry.'),
        tools: fails,
      })
      const { message } = await readResponse(toUiMessageResponse(agent.runStream('q'), { errorText }))
      expect(message?.parts).toContainEqual(expect.objectContaining({ errorText: 'Something went wrong.' }))
      expect(shapes(message)?.at(-1)).toBe('text: Sorry.')
    }
  })

  it('is stopped by a signal, and by a page that goes away', async () => {
    const stop = new AbortController()
    const begun = Promise.withResolvers<void>()
    const waits = functionModel(() => {
      begun.resolve()
      return { stream: [{ type: 'textDelta', index: 0, text: 'Half' }, new Promise(() => {})] }
    })
    const agent = createAgent({ name: 'bot', model: waits })
    const aborted = toUiMessageResponse(agent.runStream('q', { signal: stop.signal }))
    void begun.promise.then(() => stop.abort())
    const { chunks } = await readResponse(aborted)
    expect(chunks.at(-1)).toEqual({ type: 'abort' })

    const left = agent.runStream('q')
    const reader = toUiMessageResponse(left).body!.getReader()
    await reader.read()
    await reader.cancel()
    await expect(left.result).rejects.toMatchObject({ code: 'aborted' })
  })

  it('shows the members of a group, each with its name', async () => {
    const member = (name: string): ReturnType<typeof createAgent> =>
      createAgent({ name, description: name, model: functionModel(() => `${name} says`) })
    const groupchat = new GroupChat({
      agents: [member('a'), member('b')],
      maxRound: 3,
      speakerSelectionMethod: 'round_robin',
    })
    const user = createAgent({ name: 'user', model: says() })
    const chat = user.initiateChatStream(new GroupChatManager({ groupchat }), { message: 'go', silent: true })
    const { message } = await readResponse(toUiMessageResponse(chat))
    const texts = message!.parts.filter((part) => part.type === 'text')
    expect(texts.map(({ text, providerMetadata }) => [text, providerMetadata?.['run']?.['agent']])).toEqual([
      ['a says', undefined],
      ['b says', 'b'],
    ])
  })
})

describe('a response', () => {
  it('has the headers of the protocol and those that keep proxies from holding it back', async () => {
    const run = createAgent({ name: 'bot', model: says('Hello.') }).runStream('q')
    const response = toUiMessageResponse(run, { init: { status: 201, headers: { 'set-cookie': 'a=b' } } })
    expect(response.status).toBe(201)
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-vercel-ai-ui-message-stream': 'v1',
      'set-cookie': 'a=b',
    })
    expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
    const own = new Headers({ 'Cache-Control': 'no-store' })
    for (const cookie of ['a=b', 'c=d']) own.append('set-cookie', cookie)
    const { headers } = toUiMessageResponse(Readable.from([]), { init: { headers: own } })
    expect(headers.getSetCookie()).toEqual(['a=b', 'c=d'])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('is kept alive while a model is silent', async () => {
    const more = Promise.withResolvers<void>()
    const model = functionModel(async () => {
      await more.promise
      return 'Late.'
    })
    const reader = toUiMessageResponse(createAgent({ name: 'bot', model }).runStream('q'), { heartbeat: 0.01 })
      .body!.pipeThrough(new TextDecoderStream())
      .getReader()
    let text = ''
    for (let isDone = false; !isDone;) {
      // eslint-disable-next-line no-await-in-loop -- a stream
      const { done, value = '' } = await reader.read()
      text += value
      if (text.includes(':\n\n:\n\n')) more.resolve()
      isDone = done
    }
    expect(text).toContain('"delta":"Late."')
  })

  it('has no signs of life before they are due, however late that is', async () => {
    const more = Promise.withResolvers<void>()
    const model = functionModel(async () => {
      await more.promise
      return 'Late.'
    })
    const run = createAgent({ name: 'bot', model }).runStream('q')
    const text = toUiMessageResponse(run, { heartbeat: Infinity }).text()
    setTimeout(more.resolve, 20)
    expect(await text).not.toContain(':\n\n')
  })

  it('saves the result before the page has the end, and says so if it cannot', async () => {
    const saved: string[] = []
    const run = createAgent({ name: 'bot', model: says('Hello.') }).runStream('q')
    const onEnd = async (): Promise<void> => void saved.push((await run.result).text)
    const text = await toUiMessageResponse(run, { onEnd }).text()
    expect(saved).toEqual(['Hello.'])
    expect(text).toContain('"finishReason":"stop"')
    const other = createAgent({ name: 'bot', model: says('Hello.') }).runStream('q')
    const failing = toUiMessageResponse(other, { onEnd: () => Promise.reject(new Error('disk is full')) })
    expect((await readResponse(failing)).chunks.at(-1)).toMatchObject({ finishReason: 'error' })
  })

  it('is the events as they are, for a page that folds them', async () => {
    const run = createAgent({ name: 'bot', model: says('Hello.') }).runStream('q')
    const text = await toSseResponse(run).text()
    const types = [...text.matchAll(/^id: [\da-f-]{36}\/(\d+)\ndata: (.*)$/gmu)].map(
      ([, , json]) => (JSON.parse(json!) as { type: string }).type,
    )
    expect(types[0]).toBe('chatStart')
    expect(types.at(-1)).toBe('chatEnd')
  })
})
