import type { XEvent } from '@x/interfaces'
import { expect, it } from 'vitest'
import { ChatView } from './chat-view.ts'

it('shows a line for an image of a tool, and nothing of its bytes', () => {
  const view = new ChatView((_, text) => text, { prices: false, members: null })
  const content = [
    { type: 'text' as const, text: 'the page\u001B[2J' },
    { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
  ]
  const shown = view.event({
    ...{ type: 'receivedMessage', agent: 'assistant', sender: 'user', recipient: 'assistant' },
    ...{ chatId: '1', agentPath: [] },
    message: { role: 'tool', content: '', tool_responses: [{ role: 'tool', tool_call_id: 'c', content }] },
  } as unknown as XEvent)
  expect(shown).toBe('← the page␛[2J\n  [image: image/png, 8 bytes]\n')
})

const view = (): ChatView => new ChatView((_, text) => text, { prices: false, members: null })
const ENVELOPE = { runId: 'run', seq: 0, time: 0, chatId: '1', agentPath: null, parentId: null } as const
const piece = (text: string, agent = 'assistant'): XEvent => ({ ...ENVELOPE, type: 'textDelta', agent, index: 0, text })

it('shows no word that ends a chat, in an answer as it comes and in one of an earlier turn', () => {
  const shown = view()
  const text = ['Dinner is ', 'at eight.\n\n', 'TERM', 'INATE', '.'].map((each) => shown.event(piece(each))).join('')
  expect(text + shown.end()).toBe('Dinner is at eight.\n')
  expect(view().message({ role: 'assistant', name: 'assistant', content: 'At eight. TERMINATE' })).toBe('At eight.\n')
  expect(view().message({ role: 'assistant', name: 'assistant', content: 'TERMINATE' })).toBe('')
  expect(view().message({ role: 'user', name: 'user', content: 'What is TERMINATE' })).toBe('› What is TERMINATE\n')
})

it('shows what looked like that word and is not, before anything else', () => {
  const shown = view()
  const warning: XEvent = { ...ENVELOPE, type: 'warning', agent: null, topic: 'test', text: 'careful' }
  const events = [
    piece('The word TERMINATE'),
    piece(' ends a chat, and TERM'),
    warning,
    piece('again TERMINATE'),
    warning,
  ]
  expect(events.map((event) => shown.event(event)).join('')).toBe(
    'The word TERMINATE ends a chat, and TERM\ncareful\nagain\ncareful\n',
  )
})

it('shows output of code while it comes, and not again as the result of its tool', () => {
  const make = (type: XEvent['type'], fields: object): XEvent => ({ ...ENVELOPE, type, ...fields }) as unknown as XEvent
  const call = { id: 't', agent: 'user', name: 'run_code', callId: 'c', arguments: {} }
  const code = { id: 'e', parentId: 't', agent: null }
  const result = (content: string): XEvent =>
    make('receivedMessage', {
      ...{ agent: 'user', sender: 'user', recipient: 'assistant', index: 2 },
      message: { role: 'tool', content: '', tool_responses: [{ role: 'tool', tool_call_id: 'c', content }] },
    })
  const events = [
    ...[make('toolStart', call), make('codeStart', { ...code, blocks: [] })],
    make('codeOutput', { agent: null, stream: 'stdout', text: '9\n', block: 0 }),
    make('codeEnd', { ...code, ms: 1, outcome: 'ok', error: null, exitCode: 0, output: '9\n', artifacts: [] }),
  ]
  const shown = view()
  expect([...events, result('9')].map((event) => shown.event(event)).join('')).toBe('9\n')
  expect(shown.event(result('exit code 1'))).toBe('← exit code 1\n')
  // The next turn is another run.
  expect(shown.event({ ...result('9'), runId: 'next' })).toBe('← 9\n')
})

it('shows the name and model of each member of a group that speaks', () => {
  const shown = new ChatView((_, text) => text, { prices: false, members: new Set(['cook', 'buyer']) })
  const begin: XEvent = { ...ENVELOPE, type: 'answerBegin', agent: 'cook', responseId: 'r', model: 'm' }
  const events = [begin, piece('Soup.', 'cook'), piece('not shown', 'speaker_selection_agent'), piece('Leek.', 'buyer')]
  expect(events.map((event) => shown.event(event)).join('') + shown.end()).toBe('cook · m\nSoup.\nbuyer\nLeek.\n')
})

it('says that an answer begins anew, or was reasoning', () => {
  const begin: XEvent = { ...ENVELOPE, type: 'answerBegin', agent: 'assistant', responseId: 'r', model: 'm' }
  const wasReasoning: XEvent = { ...ENVELOPE, type: 'textWasReasoning', agent: 'assistant', index: 0 }
  const shown = view()
  const events = [begin, piece('Hm'), wasReasoning, piece('So'), begin, piece('Yes')]
  expect(events.map((event) => shown.event(event)).join('') + shown.end()).toBe(
    'Hm\n(reasoning)\nSo\n(begun anew)\nYes\n',
  )
})

it('says in a line which messages the model no longer sees', () => {
  const report = {
    reason: 'tokens',
    tokensBefore: 9000,
    tokensAfter: 4000,
    leftOut: 12,
    summarized: 10,
    cleared: 2,
    shortened: 1,
  } as const
  const line = view().event({
    ...{ type: 'historyCut', runId: 'run', seq: 0, time: 0, parentId: null },
    ...{ agent: 'assistant', chatId: '1', agentPath: ['assistant'], ...report },
  })
  expect(line).toBe(
    '✂ earlier messages, for the model: 10 messages summed up, 2 left out, 2 cleared, 1 shortened (about 9000 → 4000 tokens)\n',
  )
})
