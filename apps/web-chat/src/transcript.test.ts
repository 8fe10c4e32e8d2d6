import { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import type { ChatMessage, ContentPart, JournalEntry, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import type { Change, ChatKind } from './change.ts'
import { fastAgents } from './example-server.fake.ts'
import type { Item, ToolItem } from './item.ts'
import { personIo } from './person-io.ts'
import { MAX_URL_LENGTH } from './shown-content.ts'
import { Speakers } from './speakers.ts'
import { Transcript } from './transcript.ts'

const nobody = { send() {}, input: () => '' }

function transcript(kind: ChatKind = 'assistant', tell: (change: Change) => void = () => {}): Transcript {
  return new Transcript(kind, new Speakers(fastAgents().agents(kind, nobody)), tell)
}

const ENVELOPE = { runId: 'r', seq: 0, time: 0, chatId: '1', agentPath: null, parentId: '1.chat', agent: 'assistant' }
const make = (type: XEvent['type'], fields: object): XEvent => ({ ...ENVELOPE, type, ...fields }) as unknown as XEvent
const ENDED = { ms: 1, outcome: 'ok', error: null } as const

const callStart = (id = '1.1'): XEvent => make('modelCallStart', { id })
const callEnd = (fields: object = {}, id = '1.1'): XEvent =>
  make('modelCallEnd', { ...ENDED, id, message: null, model: null, usage: null, cost: null, cached: false, ...fields })
const answerBegin = (model: string): XEvent => make('answerBegin', { parentId: '1.1', responseId: '1', model })
const wasReasoning = make('textWasReasoning', { parentId: '1.1', index: 0 })
const text = (said: string, agent = 'assistant'): XEvent =>
  make('textDelta', { agent, parentId: '1.1', index: 0, text: said })

const chatStart = (recipient = 'assistant', fields: object = {}): XEvent =>
  make('chatStart', { id: '1.chat', parentId: null, agent: 'user', recipient, message: null, ...fields })
const message = (index: number, sender: string, said: ChatMessage, recipient = 'user'): XEvent =>
  make('receivedMessage', { agent: sender, sender, recipient, message: said, index })
const speaks = (speaker: string): XEvent =>
  make('groupChatRunChat', { agent: speaker, speaker, round: 1, reason: 'auto' })

const call = { id: 'c', function: { name: 'send_letter', arguments: '{"to":"Ada","text":"Hi"}' } }

describe('an answer', () => {
  it.each([
    ['another model answers', answerBegin('m')],
    ['the text so far was reasoning', wasReasoning],
  ] as const)('begins anew when %s, and what came of one that is stopped stays', (_, event) => {
    const shown = transcript()
    for (const each of [callStart(), text('Half of'), event, text('Another')]) shown.take(each)
    expect(shown.items).toMatchObject([{ text: 'Another', live: true }])
    shown.end({ state: 'cancelled', reason: 'stopped' })
    expect(shown.items).toEqual([
      {
        kind: 'assistant',
        name: 'assistant',
        ...(event === wasReasoning ? { reasoning: 'Half of' } : { model: 'm' }),
        text: 'Another',
      },
      { kind: 'note', text: 'Stopped.' },
    ])
  })

  it('has its reasoning beside its text, sent when the text begins and when it ends without one', () => {
    const told: Change[] = []
    const shown = transcript('assistant', (change) => told.push(change))
    const thinks = (thought: string, parentId = '1.1'): XEvent =>
      make('reasoningDelta', { agent: 'assistant', parentId, index: 0, text: thought })
    for (const event of [chatStart(), callStart(), thinks('It '), thinks('rains.'), text('Yes'), text('.')])
      shown.take(event)
    expect(shown.items).toMatchObject([{ text: 'Yes.', reasoning: 'It rains.', live: true }])
    expect(told.map(({ type }) => type)).toEqual(['item', 'item', 'text'])
    shown.take(message(0, 'assistant', { content: 'Yes.' }))
    const whole = { kind: 'assistant', name: 'assistant', reasoning: 'It rains.', text: 'Yes.' }
    expect(shown.items).toEqual([whole])
    for (const event of [
      callStart('1.2'),
      thinks('Now?', '1.2'),
      message(1, 'assistant', { content: null, tool_calls: [call] }),
    ])
      shown.take(event)
    expect(shown.items.slice(1)).toMatchObject([{ reasoning: 'Now?', text: '' }, { kind: 'tool' }])
    shown.take(message(2, 'assistant', { content: 'Bye.' }))
    expect(shown.items.at(-1)).toEqual({ kind: 'assistant', name: 'assistant', text: 'Bye.' })
  })

  it.each(['lost', 'stopped'])('of a worker that was %s gives way to a word on it, and to the whole answer', (how) => {
    const shown = transcript()
    shown.begin('Tell me.')
    for (const event of [chatStart(), message(0, 'user', { content: 'Tell me.' }, 'assistant')]) shown.take(event)
    for (const event of [callStart(), text('It be')]) shown.take(event)
    if (how === 'stopped') shown.take(callEnd({ outcome: 'aborted' }))
    for (const event of [callStart(), text('It begins'), message(1, 'assistant', { content: 'It begins.' })])
      shown.take(event)
    expect(shown.items).toEqual([
      { kind: 'user', name: 'user', text: 'Tell me.', turn: 0 },
      { kind: 'note', text: `The worker that wrote here was ${how}: another one begins the answer again.` },
      { kind: 'assistant', name: 'assistant', text: 'It begins.' },
    ])
  })
})

it('has the images and files of a result; what is too large has no data, and what is no file is text', () => {
  const shown = transcript()
  const image = 'data:image/png;base64,iVBORw0KGgo='
  const script = 'data:image/svg+xml;base64,PHN2Zz4='
  const parts: ContentPart[] = [
    { type: 'text', text: 'Drawn.' },
    ...[image, script, 'https://example.org/a.png', 'javascript:alert(1)', `${image}" onerror="x`].map(
      (url): ContentPart => ({ type: 'image_url', image_url: { url } }),
    ),
    { type: 'file', file: { filename: 'a.csv', file_data: `data:text/csv;base64,${'A'.repeat(MAX_URL_LENGTH)}` } },
  ]
  const result: ChatMessage = {
    role: 'tool',
    tool_responses: [{ role: 'tool', tool_call_id: 'c', content: parts }],
  }
  const calls = message(0, 'assistant', { content: null, tool_calls: [call] })
  for (const event of [chatStart(), calls, message(1, 'user', result, 'assistant')]) shown.take(event)
  const [item] = shown.items as [ToolItem]
  expect(item.files).toEqual([
    { name: 'image-1.png', url: image, isImage: true },
    { name: 'image-2.svg+xml', url: script, isImage: false },
    { name: 'image-3', url: 'https://example.org/a.png', isImage: false },
    { name: 'a.csv', url: null, isImage: false },
  ])
  expect(item.result).toMatch(/^Drawn\./u)
  expect(item.result).not.toContain('base64,iVBOR')
})

it('leaves out the choice of speakers and messages to tools, which are not part of the chat', () => {
  const told: Change[] = []
  const shown = transcript('group', (change) => told.push(change))
  const inner = chatStart('cook', { id: '1.4.chat', chatId: '1.4', parentId: '1.chat' })
  const said = { ...message(0, 'user', { content: 'to a tool' }, 'cook'), chatId: '1.4' }
  const events = [chatStart('chat_manager'), callStart(), text('cook', 'speaker_selection_agent'), inner, said]
  for (const event of events) shown.take(event)
  expect(told).toEqual([])
})

it('shows silence, hides the word that ends a chat, and shortens a long result', () => {
  const shown = transcript('group')
  const long = 'x'.repeat(20_000)
  const ends = { content: 'That is it.\n\nTERMINATE.', tool_calls: [call] }
  const result: ChatMessage = { tool_responses: [{ role: 'tool', tool_call_id: 'c', content: long }] }
  for (const event of [
    ...[chatStart('chat_manager'), message(0, 'user', { name: 'user', content: '(stays silent)' }, 'chat_manager')],
    ...[speaks('cook'), message(1, 'cook', ends, 'chat_manager'), message(2, 'cook', result, 'chat_manager')],
  ])
    shown.take(event)
  expect(shown.items).toMatchObject([
    { kind: 'user', name: 'user', text: '', silent: true },
    { kind: 'assistant', name: 'cook', text: 'That is it.' },
    { by: 'cook', state: 'done', result: `${'x'.repeat(10_000)} … (20000 characters)` },
  ])
})

it('has a form for a pending call until somebody has decided or the turn has ended', () => {
  const action = { type: 'toolCall', name: 'send_letter', arguments: { to: 'Ada', text: 'Hi' }, callId: 'c' } as const
  const shown = transcript()
  shown.begin('Write.')
  const calls = message(1, 'assistant', { content: null, tool_calls: [call] })
  for (const event of [chatStart(), message(0, 'user', { content: 'Write.' }, 'assistant'), calls]) shown.take(event)
  const asked = make('approvalRequested', { id: '1.2', action, agent: 'user' })
  shown.take(asked)
  expect(shown.items.at(-1)).toMatchObject({ state: 'waiting', approval: '1.2', fields: [{ name: 'to' }, {}] })
  expect([...shown.undecided]).toEqual(['1.2'])
  shown.decided(['1.2'])
  // A worker that takes over may send a request again that was decided on.
  shown.take(asked)
  expect(shown.items.at(-1)).toMatchObject({ state: 'called' })
  expect(shown.items.at(-1)).not.toHaveProperty('fields')
  expect(shown.undecided.size).toBe(0)
  shown.end({ state: 'failed', error: { code: null, message: 'no model for sk-0123456789abcdef' } })
  expect(shown.items.at(-1)).toEqual({ kind: 'note', text: 'It failed: no model for [redacted]', failed: true })
})

it('has one note for failures that pass, in the place of the answer that they have cut off', () => {
  const shown = transcript()
  const failed = (failures: number): XEvent =>
    make('waitingToRetry', {
      kind: 'overloaded',
      reason: 'the model is overloaded',
      failures,
      delayMs: failures * 1000,
    })
  shown.begin('Tell me.')
  for (const event of [chatStart(), message(0, 'user', { content: 'Tell me.' }, 'assistant')]) shown.take(event)
  for (const event of [callStart(), text('It be'), callEnd({ outcome: 'error' }), failed(1), callStart()])
    shown.take(event)
  for (const event of [callEnd({ outcome: 'error' }), failed(2)]) shown.take(event)
  expect(shown.items.slice(1)).toEqual([
    { kind: 'note', text: 'This did not work: the model is overloaded. It is tried again in 2 seconds.' },
  ])
  for (const event of [callStart(), text('It begins')]) shown.take(event)
  expect(shown.items.slice(2)).toMatchObject([{ kind: 'assistant', text: 'It begins', live: true }])
})

describe('the usage', () => {
  const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 }
  const attemptEnd = (id: string, fields: object = {}): XEvent =>
    make('modelAttemptEnd', {
      ...{ ...ENDED, id, parentId: '1.1', model: 'm', responseModel: 'm', cached: false, usage, cost: 0.25, ...fields },
    })

  it('is that of the attempts, or of the answers of a model that tells no attempts', () => {
    const shown = transcript()
    for (const event of [callStart(), answerBegin('m')]) shown.take(event)
    expect(shown.usage).toEqual({ models: ['m'], promptTokens: 0, completionTokens: 0, cost: 0, unpriced: false })
    for (const event of [attemptEnd('a0'), callEnd({ model: 'm', usage, cost: 0.25 })]) shown.take(event)
    expect(shown.usage).toEqual({ models: ['m'], promptTokens: 10, completionTokens: 5, cost: 0.25, unpriced: false })
    for (const event of [callStart('1.2'), callEnd({ model: 'n', usage, cost: 0.5 }, '1.2')]) shown.take(event)
    expect(shown.usage).toMatchObject({ models: ['m', 'n'], promptTokens: 20, cost: 0.75 })
  })

  it('counts those of stopped turns, and what a worker that was lost has counted once', () => {
    const shown = transcript()
    const stopped = attemptEnd('a1', { outcome: 'aborted', cost: 0.5 })
    for (const event of [callStart(), attemptEnd('a0'), callStart(), attemptEnd('a0'), stopped]) shown.take(event)
    shown.end({ state: 'cancelled', reason: 'stopped' })
    expect(shown.usage).toMatchObject({ promptTokens: 20, cost: 0.75, unpriced: false })
    for (const event of [callStart(), attemptEnd('a0')]) shown.take(event)
    expect(shown.usage).toMatchObject({ promptTokens: 30, cost: 1 })
  })

  it('counts no cached answer and no unknown usage, and reports an unknown price', () => {
    const shown = transcript()
    const unknown = attemptEnd('a1', { outcome: 'error', usage: null, cost: null })
    for (const event of [attemptEnd('a0', { cached: true }), unknown]) shown.take(event)
    expect(shown.usage).toMatchObject({ promptTokens: 0, cost: 0, unpriced: false })
    shown.take(attemptEnd('a2', { cost: null }))
    shown.end({ state: 'cancelled', reason: 'stopped' })
    expect(shown.usage).toMatchObject({ promptTokens: 10, cost: 0, unpriced: true })
  })
})

/** A worker's run of a turn: the events that it sends, and after how many of them each entry is saved. */
interface Work {
  readonly events: readonly XEvent[]
  readonly entries: readonly (readonly [behind: number, entry: JournalEntry])[]
}

/** Runs a turn from its saved entries on, until an answer of the person is missing. */
async function work(
  kind: ChatKind,
  said: string,
  kept: readonly JournalEntry[],
  typed: readonly string[],
): Promise<Work> {
  const [events, entries]: [XEvent[], [number, JournalEntry][]] = [[], []]
  const stop = new AbortController()
  const answers = typed.slice(kept.filter((entry) => entry.kind === 'human').length)
  const model = functionModel(({ messages }) => {
    const last = messages.at(-1)!
    if (last.role === 'tool')
      return { stream: [{ type: 'textDelta', index: 0, text: `So: ${JSON.stringify(last.content)}` }] }
    const weather = { id: 'w', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }
    const ask = { id: 'q', function: { name: 'ask_person', arguments: '{"question":"Which?"}' } }
    return { tool_calls: [weather, ask] }
  })
  const agents = fastAgents(kind === 'assistant' ? model : undefined).agents(kind, {
    send() {},
    async input() {
      const answer = answers.shift()
      if (answer !== undefined) return answer
      stop.abort()
      return await new Promise<never>(() => {})
    },
  })
  const saved = { ...new ChatJournal().saveState(), entries: kept.map((entry) => structuredClone(entry)) }
  const journal = ChatJournal.load(saved, { onEntry: (entry) => void entries.push([events.length, entry]) })
  await runRecorded(
    async (run) => await agents.user.initiateChat(agents.assistant, { message: said, clearHistory: false, run }),
    {
      ...{ journal, runId: 'a', version: '1', streams: true, signal: stop.signal },
      emit: (event) => void events.push(event),
    },
  ).catch(() => {})
  return { events, entries }
}

/** Returns the lines without notes on takeovers. */
const linesOf = (kind: ChatKind, events: readonly XEvent[]): readonly Item[] => {
  const shown = transcript(kind)
  shown.begin('Begin.')
  for (const event of events) shown.take(event)
  return shown.items.filter((item) => item.kind !== 'note')
}

describe.each([
  ['assistant', ['blue']],
  ['group', ['No fish.']],
] as const)('a turn of a chat of kind %s', (kind, typed) => {
  it('shows the same wherever its worker was lost, on every server', async () => {
    const whole = await work(kind, 'Begin.', [], typed)
    const expected = linesOf(kind, whole.events)
    expect(expected.length).toBeGreaterThan(3)
    // The worker is lost after each number of saved entries: at the first event after them, at the last before the next entry, or between.
    for (let kept = 0; kept <= whole.entries.length; kept++) {
      const entries = whole.entries.slice(0, kept).map(([, entry]) => entry)
      const from = whole.entries[kept - 1]?.[0] ?? 0
      const to = whole.entries[kept]?.[0] ?? whole.events.length
      const again = await work(kind, 'Begin.', entries, typed)
      for (const lost of new Set([from, Math.floor((from + to) / 2), to])) {
        const log = [...whole.events.slice(0, lost), ...again.events]
        expect(linesOf(kind, log), `lost with ${kept} entries kept, after event ${lost}`).toEqual(expected)
      }
    }
  })

  it('shows the same when one worker after the other is lost', async () => {
    const expected = linesOf(kind, (await work(kind, 'Begin.', [], typed)).events)
    const log: XEvent[] = []
    const kept: JournalEntry[] = []
    // Every worker saves one entry, and is lost before the next one, with some of its last events or none.
    for (let lost = 0; ; lost++) {
      const { events, entries } = await work(kind, 'Begin.', kept, typed)
      const [first, second] = entries
      if (!first || !second) {
        log.push(...events)
        break
      }
      log.push(...events.slice(0, lost % 2 === 0 ? first[0] : second[0]))
      kept.push(first[1])
    }
    expect(kept.length).toBeGreaterThan(3)
    expect(linesOf(kind, log)).toEqual(expected)
  })

  it('sends changes that add up to the transcript, and to a reconnecting page only what it lacks', async () => {
    const { events } = await work(kind, 'Begin.', [], typed)
    const page: Item[] = []
    const shown = transcript(kind, (change) => {
      if (change.type === 'item') page[change.index] = change.item
      if (change.type !== 'text') return
      const item = page[change.index] as Extract<Item, { text: string }>
      page[change.index] = { ...item, text: item.text + change.text }
    })
    shown.begin('Begin.')
    for (const event of events) {
      // A page that was disconnected some steps ago, with the lines of that time.
      const [since, had] = [shown.lines.step, structuredClone(page)]
      shown.take(event)
      expect(page).toEqual(shown.items)
      for (const lacking of shown.lines.since(since)) had[lacking] = shown.items[lacking]!
      expect(had).toEqual(shown.items)
    }
  })
})

it('takes only the answer to the open question', async () => {
  const sent = [
    { after: 2, question: null, text: 'to an earlier question' },
    { after: 4, question: 'Which?', text: 'to another tool' },
    { after: 4, question: null, text: 'mine' },
  ]
  const io = personIo({ send() {}, input: () => JSON.stringify(sent.shift()) }, () => 4)
  expect(await io.input('Your turn')).toBe('mine')
  expect(await io.input('Which?')).toBe('to another tool')
})

it('shows an image of a tool beside its text, which is text', () => {
  const url = 'data:image/png;base64,iVBORw0KGgo='
  const content = [
    { type: 'text' as const, text: '<img src=x onerror=alert(1)>' },
    { type: 'image_url' as const, image_url: { url } },
  ]
  const shown = transcript()
  const asked = message(1, 'assistant', { content: 'One moment.', tool_calls: [call] })
  const answer = message(2, 'user', { tool_responses: [{ role: 'tool', tool_call_id: 'c', content }] }, 'assistant')
  shown.begin('Show me.')
  for (const event of [chatStart(), message(0, 'user', { content: 'Show me.' }, 'assistant')]) shown.take(event)
  for (const event of [asked, answer]) shown.take(event)
  // The page shows results as text, so that markup in them has no effect.
  expect(shown.items.at(-1)).toMatchObject({
    result: content[0]!.text,
    files: [{ name: 'image-1.png', url, isImage: true }],
  })
})
