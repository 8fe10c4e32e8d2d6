import { Readable } from 'node:stream'
import type { Message, RunFinishedEvent } from '@ag-ui/core'
import { createAgent, tool, type ChatJournal, type RunResult } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { EventStream, XEvent } from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'
import { type AgUiOptions, fromAgUi, toAgUi, toAgUiResponse } from '@x/ui'
import { describe, expect, it } from 'vitest'
import { AgUiPage, type AgUiRead, toolCallsIn } from './ag-ui.ts'
import {
  begin,
  callEnd,
  callStart,
  chatEnd,
  chatStart,
  ENDED,
  input,
  make,
  reasoning,
  reply,
  replyEnd,
  text,
} from './made-events.fake.ts'

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
const says = (...replies: ScriptedReply[]): ReturnType<typeof functionModel> =>
  functionModel(() => replies.shift() ?? 'no more')
const simple = (name: string, execute: () => unknown, needsApproval = false): ReturnType<typeof tool> =>
  tool({ name, description: name, parameters: NO_PARAMETERS, needsApproval, execute })

type Told = readonly (XEvent | { readonly cursor: string; readonly event: XEvent })[]

/** Answers a page with events. */
const telling = (told: () => AsyncIterable<Told[number]>, options: Partial<AgUiOptions> = {}): AgUiPage =>
  new AgUiPage(async (body) => {
    const request = await fromAgUi(body, SIGNING)
    return toAgUiResponse(told(), { ...options, input: request.input })
  })
const tell = async (told: Told, options: Partial<AgUiOptions> = {}): Promise<AgUiRead & { page: AgUiPage }> => {
  const page = telling(() => Readable.from(told) as AsyncIterable<XEvent>, options)
  return { ...(await page.say('q')), page }
}

const shapes = (messages: readonly Message[]): string[] =>
  messages.map((message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map((each) => each.function.name) : []
    const content = typeof message.content === 'string' ? message.content : ''
    return [message.subagentRunId === undefined ? '' : 'inner ', message.role, `: ${content}`, ...calls].join('')
  })
const typesOf = ({ events }: AgUiRead): string[] => events.map(({ type }) => type)
const byText = (a: readonly unknown[], b: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1)
const finishOf = ({ events }: AgUiRead): RunFinishedEvent => events.at(-1) as unknown as RunFinishedEvent

describe('a run', () => {
  it('is messages with texts, calls as they grow, usage and cost', async () => {
    const weather = tool({
      name: 'weather',
      description: 'The weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      execute: ({ city }) => ({ city, celsius: 6 }),
    })
    const first = { content: 'Let me see.', tool_calls: [call('c1', 'weather', { city: 'Oslo' })] }
    const agent = createAgent({ name: 'bot', model: says(first, 'Take a coat.'), tools: weather })
    let run: EventStream<RunResult>
    const page = telling(() => (run = agent.runStream('Oslo?')))
    const read = await page.say('Oslo?')
    const { usage, cost } = await run!.result
    expect(read.error).toBeUndefined()
    expect(shapes(page.agent.messages)).toEqual([
      'user: Oslo?',
      'assistant: Let me see.weather',
      'tool: {"city":"Oslo","celsius":6}',
      'assistant: Take a coat.',
    ])
    expect(toolCallsIn(page.agent.messages)[0]?.function.arguments).toBe('{"city":"Oslo"}')
    expect(typesOf(read).filter((type) => type === 'TOOL_CALL_ARGS').length).toBeGreaterThan(1)
    const { promptTokens: inputTokens, completionTokens: outputTokens, totalTokens } = usage
    expect(finishOf(read)).toMatchObject({
      threadId: page.agent.threadId,
      outcome: { type: 'success' },
      usage: [{ model: 'scripted', inputTokens, outputTokens, totalTokens }],
      metadata: { cost, terminationReason: 'answered' },
    })
  })

  it('has the same messages without pieces of answers', async () => {
    const agent = createAgent({
      name: 'bot',
      model: says({ tool_calls: [call('c1', 'look')] }, 'Seen.'),
      tools: simple('look', () => 'x'),
    })
    const events: XEvent[] = []
    await agent.run('q', { emit: (event) => void events.push(event) })
    const { page } = await tell(events)
    expect(shapes(page.agent.messages)).toEqual(['user: q', 'assistant: look', 'tool: x', 'assistant: Seen.'])
  })

  it('tells of agents inside tools as subagents, and asks for their decisions', async () => {
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
    let run: EventStream<RunResult>
    let journal: ChatJournal | null = null
    const decided: number[] = []
    const page = new AgUiPage(async (body) => {
      const request = await fromAgUi(body, { ...SIGNING, by: 'ann' })
      if (journal) decided.push(await request.decideIn(journal))
      // A request that comes twice decides once.
      if (journal) decided.push(await request.decideIn(journal))
      run = agent.runStream('q', journal ? { journal } : {})
      return toAgUiResponse(run, { ...SIGNING, input: request.input })
    })
    const asked = await page.say('q')
    journal = (await run!.result).journal
    expect(journal!.pending).toHaveLength(3)
    const { pendingInterrupts, messages } = page.agent
    const names = new Map(toolCallsIn(messages).map(({ id, function: { name } }) => [id, name]))
    expect(
      pendingInterrupts
        .map(({ reason, message, toolCallId, subagentRunId }) => [
          ...[reason, message, names.get(toolCallId ?? ''), subagentRunId !== undefined],
        ])
        .toSorted(byText),
    ).toEqual([
      ['input_required', 'Colour?', undefined, false],
      ['tool_call', 'Allow inner?', 'inner', true],
      ['tool_call', 'Allow refund?', 'refund', false],
    ])
    const start = asked.events.find(({ type }) => type === 'SUBAGENT_STARTED')
    expect(start).toMatchObject({ name: 'expert' })
    expect(names.get(String(start?.['parentToolCallId']))).toBe('expert')
    expect(asked.events.find(({ type }) => type === 'SUBAGENT_FINISHED')).toMatchObject({
      subagentRunId: start?.['subagentRunId'],
      outcome: { type: 'suspended' },
    })

    const read = await page.decide({ refuse: 'refund', answer: 'blue' })
    expect(read.error).toBeUndefined()
    expect(decided).toEqual([3, 0])
    const { toolCalls } = await run!.result
    expect(toolCalls.find(({ name }) => name === 'ask')?.result).toBe('blue')
    expect(finishOf(read).outcome).toEqual({ type: 'success' })
    expect(page.agent.pendingInterrupts).toEqual([])
    const results = page.agent.messages.flatMap((message) =>
      message.role === 'tool' ? [[names.get(message.toolCallId), message.content, message.metadata?.['outcome']]] : [],
    )
    expect(results.toSorted(byText)).toEqual([
      ['ask', 'blue', undefined],
      ['expert', 'The expert knows.', undefined],
      ['inner', 'inner result', undefined],
      ['refund', 'by hand', 'denied'],
    ])
    expect(shapes(page.agent.messages)).toContain('inner assistant: The expert knows.')
    const again = read.events.find(({ type }) => type === 'SUBAGENT_STARTED')
    expect(again?.['subagentRunId']).toBe(start?.['subagentRunId'])
  })

  it('says that it waits to a page that may not decide', async () => {
    const agent = createAgent({
      name: 'bot',
      model: says({ tool_calls: [call('c1', 'refund')] }),
      tools: simple('refund', () => 'refunded', true),
    })
    const page = telling(() => agent.runStream('q'))
    const read = await page.say('q')
    expect(finishOf(read).outcome).toMatchObject({ type: 'interrupt', interrupts: [{ reason: 'decided_elsewhere' }] })
  })

  it('fails in words of the server, and ends what was under way', async () => {
    const model = says({ stream: [{ type: 'textDelta', index: 0, text: 'Half' }], error: new Error('sk-1234') })
    const agent = createAgent({ name: 'bot', model })
    const read = await telling(() => agent.runStream('q')).say('q')
    expect(JSON.stringify(read.events)).not.toContain('sk-1234')
    expect(typesOf(read).slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_ERROR'])
    expect(read.events.at(-1)).toMatchObject({ message: 'Something went wrong.' })
    const told = telling(() => createAgent({ name: 'bot', model: says({ error: new Error('no') }) }).runStream('q'), {
      errorText: ({ message }) => `It says ${message}.`,
    })
    expect((await told.say('q')).events.at(-1)).toMatchObject({ message: 'It says no.' })
  })

  it('begins also if it fails at once', async () => {
    async function* fail(): AsyncGenerator<XEvent> {
      yield* []
      throw new Error('sk-1234')
    }
    expect(typesOf(await telling(fail).say('q'))).toEqual(['RUN_STARTED', 'RUN_ERROR'])
  })

  it('is stopped by a signal, and by a page that goes away', async () => {
    const stop = new AbortController()
    const begun = Promise.withResolvers<void>()
    const waits = functionModel(() => {
      begun.resolve()
      return { stream: [{ type: 'textDelta', index: 0, text: 'Half' }, new Promise(() => {})] }
    })
    const agent = createAgent({ name: 'bot', model: waits })
    void begun.promise.then(() => stop.abort())
    const read = await telling(() => agent.runStream('q', { signal: stop.signal })).say('q')
    expect(finishOf(read).outcome).toEqual({ type: 'cancelled' })

    const left = agent.runStream('q')
    const page = telling(() => left)
    page.agent.subscribe({ onTextMessageContentEvent: () => page.agent.abortRun() })
    await page.say('q')
    await expect(left.result).rejects.toMatchObject({ code: 'aborted' })
  })

  it('names the members of a group, but for the first one', async () => {
    const member = (name: string): ReturnType<typeof createAgent> =>
      createAgent({ name, description: name, model: functionModel(() => `${name} says`) })
    const groupchat = new GroupChat({
      agents: [member('a'), member('b')],
      maxRound: 3,
      speakerSelectionMethod: 'round_robin',
    })
    const user = createAgent({ name: 'user', model: says() })
    const page = telling(() =>
      user.initiateChatStream(new GroupChatManager({ groupchat }), { message: 'go', silent: true }),
    )
    await page.say('q')
    expect(page.agent.messages.slice(1).map((message) => [message.content, 'name' in message && message.name])).toEqual(
      [
        ['a says', false],
        ['b says', 'b'],
      ],
    )
  })

  it('saves its result before the page has the end, and says so if it cannot', async () => {
    const saved: string[] = []
    const agent = createAgent({ name: 'bot', model: functionModel(() => 'Hello.') })
    let run: EventStream<RunResult>
    const onEnd = async (): Promise<void> => void saved.push((await run.result).text)
    const page = telling(() => (run = agent.runStream('q')), { onEnd })
    expect(typesOf(await page.say('q')).at(-1)).toBe('RUN_FINISHED')
    expect(saved).toEqual(['Hello.'])
    const failing = telling(() => agent.runStream('q'), { onEnd: () => Promise.reject(new Error('disk is full')) })
    expect(typesOf(await failing.say('q')).at(-1)).toBe('RUN_ERROR')
  })

  it('is refused without the request that it answers', () => {
    const run = createAgent({ name: 'bot', model: says('Hello.') }).runStream('q')
    expect(() => toAgUi(run, {} as AgUiOptions)).toThrow('`input` is null; give an object')
  })

  it('is an iterable, too', async () => {
    const run = createAgent({ name: 'bot', model: says('Hello.') }).runStream('q')
    const types: string[] = []
    const threadId = 't'
    for await (const { type } of toAgUi(run, { input: { threadId, runId: 'r', messages: [], cursor: undefined } }))
      types.push(type)
    expect([types[0], types.at(-1)]).toEqual(['RUN_STARTED', 'RUN_FINISHED'])
  })
})

describe('an answer that is void', () => {
  const half = [begin('call'), reasoning('call', 'Hm.'), text('call', 'Half'), input('call', 'c1', '{"a":')]
  const whole = [begin('call'), text('call', 'The whole.'), callEnd('call'), replyEnd('reply'), chatEnd()]

  it('goes when the next config answers, and the conversation stays', async () => {
    const told = (): AsyncIterable<XEvent> =>
      Readable.from([chatStart(), reply('reply'), callStart('call'), ...half, ...whole]) as AsyncIterable<XEvent>
    const page = telling(told)
    page.agent.addMessages([
      { id: 'u0', role: 'user', content: 'before' },
      { id: 'a0', role: 'assistant', content: 'answered', toolCalls: [] },
    ])
    const read = await page.say('q')
    expect(read.error).toBeUndefined()
    expect(typesOf(read)).toContain('MESSAGES_SNAPSHOT')
    expect(shapes(page.agent.messages)).toEqual([
      ...['user: before', 'assistant: answered', 'user: q'],
      ...['reasoning: ', 'assistant: The whole.'],
    ])
  })

  it('goes when another process answers, and what others say at the same time stays', async () => {
    const { page, error } = await tell([
      ...[chatStart(), reply('reply'), callStart('a'), callStart('b'), begin('a'), begin('b')],
      ...[text('a', 'Half'), text('b', 'From '), input('b', 'c1', '{}')],
      // The process is killed here.
      ...[chatStart({ resumed: true }), reply('reply', { resumed: true }), callStart('a', 'reply', { resumed: true })],
      ...[begin('a'), text('b', 'b.'), text('a', 'From a.'), callEnd('a'), callEnd('b')],
      ...[replyEnd('reply'), chatEnd()],
    ])
    expect(error).toBeUndefined()
    expect(shapes(page.agent.messages).slice(1)).toEqual([
      ...['assistant: From look', 'tool: Something went wrong.', 'assistant: b.', 'assistant: From a.'],
    ])
  })

  it('was reasoning if only its end was marked', async () => {
    const { page } = await tell([
      ...[chatStart(), reply('reply'), callStart('call'), begin('call')],
      ...[
        text('call', 'Three twos '),
        text('call', 'are six.'),
        make('textWasReasoning', { parentId: 'call', index: 0 }),
      ],
      ...[text('call', 'It is.'), callEnd('call'), replyEnd('reply'), chatEnd()],
    ])
    expect(shapes(page.agent.messages).slice(1)).toEqual(['reasoning: Three twos are six.', 'assistant: It is.'])
  })
})

describe('a page', () => {
  const asked = [chatStart(), reply('reply'), callStart('call'), begin('call')]
  const answered = [callEnd('call'), replyEnd('reply'), chatEnd()]

  it('that was loaded again has one answer, whatever it has kept of the first half', async () => {
    const cut = new AgUiPage(async (body) => {
      const { input: request } = await fromAgUi(body)
      const events = [...asked, reasoning('call', 'Hm.'), text('call', 'The first '), input('call', 'c1', '{"a":')]
      return toAgUiResponse(Readable.from(events) as AsyncIterable<XEvent>, { input: request })
    })
    await cut.say('q')
    const kept = cut.agent.messages
    expect(shapes(kept)).toContain('assistant: The first look')
    const events = [...asked, reasoning('call', 'Hm.'), text('call', 'The first '), text('call', 'and second half.')]
    const told = (): AsyncIterable<XEvent> => Readable.from([...events, ...answered]) as AsyncIterable<XEvent>
    const page = new AgUiPage(async (body) => {
      const { message, input: request } = await fromAgUi(body)
      expect(message).toBeNull()
      return toAgUiResponse(told(), { input: request })
    }, kept)
    const read = await page.run({})
    expect(read.error).toBeUndefined()
    expect(shapes(page.agent.messages)).toEqual([
      ...['user: q', 'reasoning: Hm.', 'assistant: The first and second half.'],
    ])
  })

  it.each([
    [[null]],
    [[{ id: { toString: 7 }, metadata: { span: { toString: 7 } } }]],
    [[{ id: 'c1', metadata: { span: 'run/1.2' } }]],
    ['no list'],
  ])('harms itself alone by calls that it invents: %j', async (toolCalls) => {
    const messages = [
      { id: 'run/call-TEXT0', role: 'assistant', content: { toString: 7 }, toolCalls },
      { id: 'u', role: 'user', content: 'q' },
    ]
    const { message, input: request } = await fromAgUi({ threadId: 't', runId: 'r', messages })
    expect(message).toEqual({ role: 'user', content: 'q' })
    const told = Readable.from([...asked, text('call', 'Hello.'), ...answered]) as AsyncIterable<XEvent>
    const types: string[] = []
    for await (const { type } of toAgUi(told, { input: request })) types.push(type)
    expect(types).toContain('TEXT_MESSAGE_CONTENT')
    expect(types.at(-1)).toBe('RUN_FINISHED')
  })

  it('has the sources and files of an answer in the metadata of its message', async () => {
    const details = {
      reasoning: 'Hm.',
      sources: [
        { type: 'url', url: 'https://a.example', title: 'A' },
        { type: 'file', file_id: 'f1', title: 'report.pdf' },
      ],
      citations: [{ url: 'https://a.example', title: 'A', raw: {} }],
      media: [{ type: 'image', url: 'data:image/png;base64,AA==', media_type: 'image/png', at: 0 }],
    }
    const { page } = await tell([
      ...[chatStart(), reply('reply'), callStart('call'), callEnd('call', 'reply', { message: 'See A.', details })],
      ...[replyEnd('reply'), chatEnd()],
    ])
    expect(shapes(page.agent.messages).slice(1)).toEqual(['reasoning: Hm.', 'assistant: See A.'])
    expect(page.agent.messages.at(-1)?.metadata).toEqual({
      sources: [{ url: 'https://a.example', title: 'A' }, { title: 'report.pdf' }],
      files: [{ url: 'data:image/png;base64,AA==', mediaType: 'image/png' }],
    })
  })

  it('has the parts of a result as AG-UI has them', async () => {
    const parts = [
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,BBBB' } },
      { type: 'file', file: { file_id: 'f1' } },
    ]
    const look = { id: '1.2', parentId: 'reply', name: 'look', callId: 'c1', arguments: {} }
    const { page } = await tell([
      ...[chatStart(), reply('reply'), make('toolStart', look)],
      ...[make('toolEnd', { ...ENDED, ...look, result: 'x', parts, approval: null }), replyEnd('reply'), chatEnd()],
    ])
    expect(page.agent.messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'x' },
      { type: 'image', source: { type: 'url', value: 'https://a.example/b.png' } },
      { type: 'audio', source: { type: 'url', value: 'data:audio/mpeg;base64,AAAA' } },
      { type: 'document', source: { type: 'url', value: 'data:application/pdf;base64,BBBB' } },
      { type: 'document', source: { type: 'file', value: 'f1' } },
    ])
  })

  it('has code as a call with the decision on it, and a call that a policy denied', async () => {
    const blocks = [{ language: 'js', code: '6 * 7' }]
    const ask = make('approvalRequested', { id: '1.3', parentId: 'reply', action: { type: 'code', blocks } })
    const begun = [chatStart(), reply('reply', { agent: 'user' }), ask]
    const code = [
      make('codeStart', { id: '1.4', parentId: 'reply', blocks }),
      make('codeEnd', { ...ENDED, id: '1.4', parentId: 'reply', exitCode: 0, output: '42\n', artifacts: [] }),
    ]
    const end = [replyEnd('reply', { agent: 'user', reply: 'x' }), chatEnd()]
    const ran = await tell([...begun, ...code, ...end], SIGNING)
    expect(shapes(ran.page.agent.messages).slice(1)).toEqual([
      ...['assistant: run_code', 'tool: {"exitCode":0,"output":"42\\n"}'],
    ])
    const refused = await tell([...begun, ...end], SIGNING)
    expect(shapes(refused.page.agent.messages).slice(1)).toEqual(['assistant: run_code', 'tool: denied'])
    const suspended = await tell([...begun, chatEnd({ outcome: 'suspended' })], SIGNING)
    expect(finishOf(suspended).outcome).toMatchObject({ interrupts: [{ message: 'Allow run_code?' }] })

    const look = { id: '1.2', parentId: 'reply', name: 'look', callId: 'c1', arguments: {} }
    const approval = { allow: false, reason: 'not today', by: 'vetting' }
    const { page } = await tell([
      ...[chatStart(), reply('reply'), make('toolStart', look)],
      ...[
        make('toolEnd', { ...ENDED, ...look, result: 'denied', parts: null, approval }),
        replyEnd('reply'),
        chatEnd(),
      ],
    ])
    expect(page.agent.messages.at(-1)).toMatchObject({ content: 'not today', metadata: { outcome: 'denied' } })
  })

  it('has the own events of a program, and no agents inside tools if it shall not', async () => {
    const own = make('custom', { name: 'orderPlaced', data: { id: 'o1' }, parentId: '1.chat' })
    expect((await tell([chatStart(), own, chatEnd()])).events).toContainEqual({
      type: 'CUSTOM',
      name: 'orderPlaced',
      value: { id: 'o1' },
    })
    const expert = createAgent({
      name: 'expert',
      description: 'e',
      model: says({ tool_calls: [call('c1', 'inner')] }, 'Known.'),
      tools: simple('inner', () => 'x', true),
    })
    const agent = createAgent({
      name: 'bot',
      model: says({ tool_calls: [call('c1', 'expert', { question: 'q' })] }, 'Done.'),
      tools: expert.asTool(),
    })
    const read = await telling(() => agent.runStream('q'), { ...SIGNING, agents: false }).say('q')
    expect(read.events.filter(({ type, subagentRunId }) => type.startsWith('SUBAGENT') || subagentRunId)).toEqual([])
    // What it asks is a call of the run, so that the page can decide.
    expect(finishOf(read).outcome).toMatchObject({ interrupts: [{ message: 'Allow inner?' }] })
  })

  it('reads the log of a hosted chat to where it waits, and goes on behind that', async () => {
    const action = { type: 'toolCall', name: 'look', arguments: {}, callId: null }
    const events = [
      ...[chatStart(), reply('reply'), chatEnd({ outcome: 'suspended' }), chatStart({ resumed: true })],
      ...[make('approvalRequested', { id: '1.2', parentId: '1.chat', action }), chatEnd({ outcome: 'suspended' })],
      make('custom', { name: 'later', data: 1 }),
    ].map((event, index) => ({ cursor: `${index}/`, event }))
    const resumed = [...events, ...[chatStart({ resumed: true }), chatEnd()].map((event) => ({ cursor: '7/', event }))]
    const later = await tell(resumed, SIGNING)
    expect(typesOf(later)).toContain('CUSTOM')
    expect(finishOf(later)).toMatchObject({ outcome: { type: 'success' }, metadata: { cursor: '7/' } })
    const { page, ...read } = await tell(events, SIGNING)
    expect(typesOf(read)).not.toContain('CUSTOM')
    expect(finishOf(read)).toMatchObject({ outcome: { type: 'interrupt' }, metadata: { cursor: '5/' } })
    const [interrupt] = page.agent.pendingInterrupts
    const resume = [{ interruptId: interrupt?.id, status: 'resolved', payload: { approved: true } }]
    const request = await fromAgUi({ threadId: 't', runId: 'r', messages: [], resume }, SIGNING)
    expect(request.input.cursor).toBe('5/')
    expect(request.decisions).toMatchObject([{ runId: 'run', id: '1.2', decision: { allow: true } }])
  })

  it('reads no faster than it wants to', async () => {
    let told = 0
    async function* endless(): AsyncGenerator<XEvent> {
      yield* asked
      while (told++ < 1000) yield text('call', 'piece ')
    }
    const empty = { threadId: 't', runId: 'r', messages: [], cursor: undefined }
    const reader = toAgUiResponse(endless(), { input: empty }).body!.getReader()
    for (let count = 0; count < 10; count++) {
      // eslint-disable-next-line no-await-in-loop -- a slow page
      await reader.read()
    }
    expect(told).toBeLessThan(12)
    await reader.cancel()
  })

  it.each([
    ['failed', { outcome: 'error', error: { code: 'model-failed', message: 'no' } }, { type: 'RUN_ERROR' }],
    ['cancelled', { outcome: 'aborted' }, { outcome: { type: 'cancelled' } }],
  ])('is told that a hosted chat has %s', async (_, end, last) => {
    const read = await tell([...asked, text('call', 'Half'), chatEnd(end)])
    expect(read.events.at(-1)).toMatchObject(last)
  })
})
