import { Readable } from 'node:stream'
import type { XEvent } from '@x/interfaces'
import { fromUiMessages, hasDecided, toUiMessageResponse, type UiResponseOptions } from '@x/ui'
import type { UIMessage } from 'ai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { decideOn, type Read, readResponse } from './ai-sdk.ts'
import {
  make,
  ENDED,
  chatStart,
  chatEnd,
  reply,
  replyEnd,
  callStart,
  callEnd,
  begin,
  text,
  reasoning,
  input,
} from './made-events.fake.ts'

// What several processes, parallel runs and sparing models tell, by events made here.
const read = async (
  events: readonly (XEvent | { readonly cursor: string; readonly event: XEvent })[],
  options?: UiResponseOptions,
): Promise<Read> => await readResponse(toUiMessageResponse(Readable.from(events) as AsyncIterable<XEvent>, options))
const shapes = (message: UIMessage | undefined): string[] | undefined =>
  message?.parts
    .map((part) => ('text' in part ? `${part.type}: ${part.text}` : part.type))
    .filter((each) => each !== 'step-start')

describe('an answer that is void', () => {
  it('goes when the next config answers', async () => {
    const half = [begin('call'), reasoning('call', 'Hm.'), text('call', 'Half'), input('call', 'c1', '{"a":')]
    const whole = [begin('call'), text('call', 'The whole.'), callEnd('call'), replyEnd('reply'), chatEnd()]
    const { message, chunks } = await read([chatStart(), reply('reply'), callStart('call'), ...half, ...whole])
    expect(chunks.map(({ type }) => type)).toContain('reset-step')
    expect(shapes(message)).toEqual(['text: The whole.'])
  })

  it('goes when another process answers, and what others say at the same time stays', async () => {
    const { message } = await read([
      ...[chatStart(), reply('reply'), callStart('a'), callStart('b'), begin('a'), begin('b')],
      ...[text('a', 'Half'), text('b', 'From '), input('b', 'c1', '{}')],
      // The process is killed here.
      ...[chatStart({ resumed: true }), reply('reply', { resumed: true }), callStart('a', 'reply', { resumed: true })],
      ...[begin('a'), text('b', 'b.'), text('a', 'From a.'), callEnd('a'), callEnd('b')],
      ...[replyEnd('reply'), chatEnd()],
    ])
    expect(shapes(message)).toEqual(['text: From ', 'tool-look', 'text: b.', 'text: From a.'])
  })

  it('was reasoning if only its end was marked', async () => {
    const { message } = await read([
      ...[
        chatStart(),
        reply('reply'),
        callStart('call'),
        begin('call'),
        text('call', 'Three twos '),
        text('call', 'are six.'),
      ],
      ...[make('textWasReasoning', { parentId: 'call', index: 0 }), text('call', 'It is.'), callEnd('call')],
      ...[replyEnd('reply'), chatEnd()],
    ])
    expect(shapes(message)).toEqual(['reasoning: Three twos are six.', 'text: It is.'])
  })
})

describe('a message', () => {
  it('has the sources, files and reasoning of an answer', async () => {
    const details = {
      reasoning: 'Hm.',
      sources: [
        { type: 'url', url: 'https://a.example', title: 'A' },
        { type: 'file', file_id: 'f1', title: 'report.pdf' },
      ],
      citations: [{ url: 'https://a.example', raw: {} }],
      media: [{ type: 'image', url: 'data:image/png;base64,AA==', media_type: 'image/png', at: 0 }],
    }
    const events = [
      chatStart(),
      reply('reply'),
      callStart('call'),
      callEnd('call', 'reply', { message: 'See A.', details }),
    ]
    const { message } = await read([...events, replyEnd('reply'), chatEnd()])
    expect(shapes(message)).toEqual(['reasoning: Hm.', 'text: See A.', 'source-url', 'source-document', 'file'])
    const hidden = await read([...events, replyEnd('reply'), chatEnd()], { reasoning: false })
    expect(shapes(hidden.message)?.[0]).toBe('text: See A.')
  })

  it('has no calls of models behind the scenes', async () => {
    const summary = [
      callStart('summary', '1.chat'),
      begin('summary'),
      text('summary', 'Hidden'),
      callEnd('summary', '1.chat'),
    ]
    const { message } = await read([
      chatStart(),
      reply('reply'),
      ...summary,
      replyEnd('reply', { reply: 'From a function.' }),
      chatEnd(),
    ])
    expect(shapes(message)).toEqual(['text: From a function.'])
  })

  it('has code that runs as a call, with the decision on it', async () => {
    const blocks = [{ language: 'js', code: '6 * 7' }]
    const ask = make('approvalRequested', { id: '1.3', parentId: 'reply', action: { type: 'code', blocks } })
    const asked = [chatStart(), reply('reply', { agent: 'user' }), ask]
    const code = [
      make('codeStart', { id: '1.4', parentId: 'reply', blocks }),
      make('codeEnd', { ...ENDED, id: '1.4', parentId: 'reply', exitCode: 0, output: '42\n', artifacts: [] }),
    ]
    const secret = 'a secret of the server with 32 characters'
    const ran = await read([...asked, ...code, replyEnd('reply', { agent: 'user', reply: 'exit code 0' }), chatEnd()], {
      secret,
    })
    expect(ran.message?.parts.slice(1)).toMatchObject([
      { type: 'tool-run_code', state: 'output-available', input: { blocks }, output: { exitCode: 0, output: '42\n' } },
    ])
    const refused = await read([...asked, replyEnd('reply', { agent: 'user', reply: 'no' }), chatEnd()], { secret })
    expect(refused.message?.parts.slice(1)).toMatchObject([{ state: 'output-denied', approval: { approved: false } }])
    const stopped = await read([...asked, ...code.slice(0, 1)], { secret })
    expect(stopped.message?.parts.slice(1)).toMatchObject([{ state: 'output-error' }])
  })

  it.each([
    ['ran', true, 'output-available'],
    ['was refused', false, 'output-denied'],
  ])('goes on in the message of the page with code that %s', async (_, approved, state) => {
    const blocks = [{ language: 'js', code: '6 * 7' }]
    const secret = 'a secret of the server with 32 characters'
    const ask = make('approvalRequested', { id: '1.3', parentId: 'reply', action: { type: 'code', blocks } })
    const suspended = { outcome: 'suspended' }
    const asked = await read([chatStart(), reply('reply', { agent: 'user' }), ask, chatEnd(suspended)], { secret })
    const decided = decideOn(asked.message!, approved ? {} : { refuse: 'tool-run_code' })
    const { continues } = await fromUiMessages([decided], { secret })
    const code = [
      make('codeStart', { id: '1.4', parentId: 'reply', blocks }),
      make('codeEnd', { ...ENDED, id: '1.4', parentId: 'reply', exitCode: 0, output: '42\n', artifacts: [] }),
    ]
    const begun = [chatStart({ resumed: true }), reply('reply', { agent: 'user', resumed: true })]
    const ended = [replyEnd('reply', { agent: 'user', reply: 'x' }), chatEnd()]
    const events = [...begun, ...(approved ? code : []), ...ended]
    const { message } = await readResponse(toUiMessageResponse(Readable.from(events), { secret, continues }), decided)
    expect(message?.parts.filter((part) => part.type !== 'step-start')).toMatchObject([
      { type: 'tool-run_code', state },
    ])
  })

  it('says that a function has denied a call', async () => {
    const look = { id: 'tool', parentId: 'reply', name: 'look', callId: 'c1', arguments: {} }
    const approval = { allow: false, reason: 'not today', by: 'vetting' }
    const { message } = await read([
      ...[chatStart(), reply('reply'), make('toolStart', look)],
      ...[
        make('toolEnd', { ...ENDED, ...look, result: 'denied', parts: null, approval }),
        replyEnd('reply'),
        chatEnd(),
      ],
    ])
    const denied = { isAutomatic: true, approved: false, reason: 'not today' }
    expect(message?.parts[1]).toMatchObject({ type: 'tool-look', state: 'output-denied', approval: denied })
  })

  it('has the own events of a program as data', async () => {
    const own = make('custom', { name: 'orderPlaced', data: { id: 'o1' }, parentId: '1.chat' })
    const { message } = await read([chatStart(), own, chatEnd()])
    expect(message?.parts[1]).toEqual({ type: 'data-orderPlaced', data: { id: 'o1' } })
  })

  it('ends where the log of a hosted chat waits for a decision, and no sooner', async () => {
    const call = { type: 'toolCall', name: 'look', arguments: {}, callId: null }
    const events = [
      ...[chatStart(), reply('reply'), chatEnd({ outcome: 'suspended' }), chatStart({ resumed: true })],
      ...[
        make('approvalRequested', { id: '1.2', parentId: '1.chat', action: call }),
        chatEnd({ outcome: 'suspended' }),
      ],
      make('custom', { name: 'later', data: 1 }),
    ].map((event, index) => ({ cursor: String(index), event }))
    const { chunks } = await read(events, { secret: 'a secret of the server with 32 characters' })
    expect(chunks.map(({ type }) => type)).toContain('tool-approval-request')
    expect(chunks.map(({ type }) => type)).not.toContain('data-later')
    expect(chunks.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'tool-calls',
      messageMetadata: { cursor: '5' },
    })
    const asked = await read(events)
    expect(asked.chunks.map(({ type }) => type)).not.toContain('tool-approval-request')
  })

  it('goes on where the log of a hosted chat has waited, and says that its questions were answered', async () => {
    const secret = 'a secret of the server with 32 characters'
    const tool = (id: string, name: string): object => ({ id, parentId: 'reply', name, callId: id, arguments: {} })
    const [look, pick] = [tool('1.2', 'look'), tool('1.3', 'pick')]
    const action = { type: 'toolCall', name: 'look', arguments: {}, callId: '1.2' }
    const ends = (fields: object, outcome: string): XEvent =>
      make('toolEnd', { ...ENDED, ...fields, outcome, result: 'seen', parts: null, approval: null })
    const question = make('approvalRequested', {
      ...{ id: '1.3.0', parentId: '1.3', action: { type: 'question', prompt: 'Which?' } },
    })
    const waits = [
      ...[chatStart(), reply('reply'), make('toolStart', look), make('toolStart', pick), question],
      ...[make('approvalRequested', { id: '1.2.0', parentId: '1.2', action }), ends(look, 'suspended')],
      ...[ends(pick, 'suspended'), chatEnd({ outcome: 'suspended' })],
    ]
    const begins = [make('custom', { name: 'later', data: 1 }), chatStart({ resumed: true })]
    const again = (fields: object): XEvent => make('toolStart', { ...fields, resumed: true })
    // One decision was made, and the chat asks again for the other one.
    const one = [...begins, again(look), again(pick), ends(look, 'ok'), question, ends(pick, 'suspended')]
    const log = (events: readonly XEvent[]): { cursor: string; event: XEvent }[] =>
      events.map((event, index) => ({ cursor: String(index), event }))
    const states = ({ message }: Read): unknown[] | undefined =>
      message?.parts.flatMap((part) => ('toolCallId' in part ? [[part.type, part.state]] : []))
    const half = await read(log([...waits, ...one, chatEnd({ outcome: 'suspended' })]), { secret })
    expect(half.chunks.at(-1)).toMatchObject({ finishReason: 'tool-calls', messageMetadata: { cursor: '16' } })
    expect(states(half)).toEqual([
      ['tool-look', 'output-available'],
      ['tool-pick', 'input-available'],
      ['tool-ask_person', 'input-available'],
    ])
    const rest = [...begins, again(pick), ends(pick, 'ok'), replyEnd('reply'), chatEnd()]
    const whole = await read(log([...waits, ...one, chatEnd({ outcome: 'suspended' }), ...rest]), { secret })
    expect(whole.errors).toEqual([])
    expect(whole.chunks.at(-1)).toMatchObject({ finishReason: 'stop' })
    expect(hasDecided({ messages: [whole.message!] })).toBe(false)
    expect(states(whole)?.map((each) => (each as string[])[1])).toEqual(Array(3).fill('output-available'))
    expect(whole.chunks.filter(({ type }) => type === 'data-later')).toHaveLength(2)
  })

  it('leaves the log of a chat that waits, though nothing more comes of it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const action = { type: 'toolCall', name: 'look', arguments: {}, callId: null }
    const events = [
      chatStart(),
      make('approvalRequested', { id: '1.2', parentId: '1.chat', action }),
      chatEnd({ outcome: 'suspended' }),
    ]
    let next = 0
    let isLeft = false
    const log: AsyncIterator<{ cursor: string; event: XEvent }> = {
      async next() {
        const event = events[next++]
        if (!event) return await new Promise(() => {})
        return { done: false, value: { cursor: 'c', event } }
      },
      async return() {
        isLeft = true
        return await Promise.resolve({ done: true, value: undefined })
      },
    }
    const reading = toUiMessageResponse({ [Symbol.asyncIterator]: () => log }).text()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await reading).toContain('"finishReason":"tool-calls"')
    expect(isLeft).toBe(true)
  })

  it('is read no faster than its page reads', async () => {
    let told = 0
    async function* tell(): AsyncGenerator<XEvent> {
      yield* [chatStart(), reply('reply'), callStart('call'), begin('call')]
      while (told++ < 1000) yield text('call', 'piece ')
    }
    const reader = toUiMessageResponse(tell()).body!.getReader()
    for (let count = 0; count < 10; count++) {
      // eslint-disable-next-line no-await-in-loop -- a slow page
      await reader.read()
    }
    expect(told).toBeLessThan(12)
    await reader.cancel()
  })

  it.each([
    [
      'failed',
      { outcome: 'error', error: { code: 'model-failed', message: 'no' } },
      ['message-metadata', 'error', 'finish'],
    ],
    ['cancelled', { outcome: 'aborted' }, ['finish-step', 'message-metadata', 'abort']],
  ])('says that a hosted chat has %s', async (_, end, last) => {
    const { chunks } = await read([
      chatStart(),
      reply('reply', {}),
      callStart('call'),
      text('call', 'Half'),
      chatEnd(end),
    ])
    expect(chunks.slice(-3).map(({ type }) => type)).toEqual(last)
  })
})
