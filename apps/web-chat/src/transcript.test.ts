import type { ChatMessage, XEvent } from '@x/interfaces'
import { expect, it } from 'vitest'
import { createSessionAgents } from '@x/session'
import { functionModel } from '@x/testing'
import { tool } from '@x/agent'
import type { Change } from './change.ts'
import type { Item } from './item.ts'
import { Speakers } from './speakers.ts'
import { Transcript } from './transcript.ts'

const call = { id: 'c', function: { name: 'send', arguments: '{"to":"Ada"}' } }
const history: ChatMessage[] = [
  { role: 'assistant', name: 'user', content: 'Write.' },
  { role: 'assistant', name: 'assistant', content: 'I do.', tool_calls: [call] },
  {
    role: 'tool',
    name: 'user',
    content: 'sent',
    tool_responses: [{ role: 'tool', tool_call_id: 'c', content: 'sent' }],
  },
  { role: 'user', name: 'assistant', content: 'Done.' },
]
const action = { type: 'toolCall', name: 'send', arguments: { to: 'Ada' }, callId: 'c' } as const
const pending = [{ id: '1.2', chatId: '1', agentPath: ['user'], agent: 'user', action }]
const ORIGIN = { chatId: null, agentPath: null }
const delta = (text: string): XEvent => ({
  type: 'modelDelta',
  agent: 'assistant',
  ...ORIGIN,
  event: { type: 'textDelta', index: 0, text },
})

const send = tool({
  name: 'send',
  description: 'Sends.',
  parameters: { type: 'object', properties: { to: { type: 'string', description: 'Whom' } }, required: ['to'] },
  execute: () => 'sent',
})
function speakers(): Speakers {
  const agents = createSessionAgents({ llmConfig: functionModel(() => ''), tools: [send] })
  return new Speakers(() => agents)
}

/** What a page has after the changes. */
function replayed(changes: readonly Change[]): Item[] {
  const items: Item[] = []
  for (const change of changes) {
    if (change.type === 'item') items[change.index] = change.item
    if (change.type !== 'text') continue
    const item = items[change.index] as Extract<Item, { text: string }>
    items[change.index] = { ...item, text: item.text + change.text }
  }
  return items
}

it('is the same whether it saw the events or only the history, and what it tells adds up to it', () => {
  const told: Change[] = []
  const seen = new Transcript(speakers(), (change) => told.push(change))
  seen.sync({ messages: history.slice(0, 1), pending: [] })
  seen.take(delta('I '))
  seen.take(delta('do.'))
  expect(seen.items.at(-1)).toEqual({ kind: 'assistant', name: 'assistant', text: 'I do.', live: true })
  seen.sync({ messages: history.slice(0, 2), pending })
  expect(seen.items.at(-1)).toMatchObject({
    by: 'assistant',
    state: 'waiting',
    approval: '1.2',
    fields: [{ name: 'to', type: 'text', value: 'Ada', hint: 'Whom', required: true }],
  })
  seen.decided('1.2')
  seen.take({
    type: 'executeFunction',
    agent: 'user',
    ...ORIGIN,
    funcName: 'send',
    callId: 'c',
    arguments: { to: 'Ada' },
    recipient: 'user',
  })
  expect(seen.items.at(-1)).toMatchObject({ state: 'running' })
  seen.sync({ messages: history, pending: [] })

  const read = new Transcript(speakers(), () => {})
  read.sync({ messages: history, pending: [] })
  const plain = (items: readonly Item[]): unknown => JSON.parse(JSON.stringify(items))
  expect(plain(seen.items)).toEqual(plain(read.items))
  expect(plain(replayed(told))).toEqual(plain(seen.items))
  expect(plain(read.items)).toEqual([
    { kind: 'user', name: 'user', text: 'Write.' },
    { kind: 'assistant', name: 'assistant', text: 'I do.' },
    {
      kind: 'tool',
      call: 'c',
      by: 'assistant',
      name: 'send',
      arguments: '{"to":"Ada"}',
      state: 'done',
      result: 'sent',
    },
    { kind: 'assistant', name: 'assistant', text: 'Done.' },
  ])
})

it.each([
  ['another model answers', { type: 'start', id: '1', model: 'm' }],
  ['the text so far was reasoning', { type: 'textWasReasoning', index: 0 }],
] as const)('begins an answer anew when %s, and leaves one that was stopped', (_, event) => {
  const transcript = new Transcript(speakers(), () => {})
  transcript.take(delta('Half of'))
  transcript.take({
    type: 'modelDelta',
    agent: 'assistant',
    ...ORIGIN,
    event,
  })
  transcript.take(delta('Another'))
  transcript.interrupted('Stopped.')
  expect(transcript.items).toEqual([
    {
      kind: 'assistant',
      name: 'assistant',
      ...(event.type === 'start' && { model: 'm' }),
      text: 'Another',
    },
    { kind: 'note', text: 'Stopped.' },
  ])
})

it('leaves out what is no part of the chat: the choice of speakers, and what is said to tools', () => {
  const told: Change[] = []
  const transcript = new Transcript(speakers(), (change) => told.push(change))
  const event: XEvent = { ...delta('cook'), agent: 'speaker_selection_agent' } as XEvent
  transcript.take(event)
  expect(told).toEqual([])
})

it('shows silence as such, no word for the program, and a long result in part', () => {
  const transcript = new Transcript(speakers(), () => {})
  const long = 'x'.repeat(20_000)
  transcript.sync({
    messages: [
      { role: 'assistant', name: 'user', content: '(stays silent)' },
      { role: 'user', name: 'cook', content: 'That is it.\n\nTERMINATE.', tool_calls: [call] },
      { role: 'tool', name: 'cook', tool_responses: [{ role: 'tool', tool_call_id: 'c', content: long }] },
    ],
    pending: [],
  })
  expect(transcript.items[0]).toEqual({ kind: 'user', name: 'user', text: '', silent: true })
  expect(transcript.items[1]).toEqual({ kind: 'assistant', name: 'cook', text: 'That is it.' })
  expect(transcript.items[2]).toMatchObject({ by: 'cook', result: `${'x'.repeat(10_000)} … (20000 characters)` })
})

it('shows a line for an image of a tool, and nothing of its bytes', () => {
  const url = 'data:image/png;base64,iVBORw0KGgo='
  const content = [
    { type: 'text' as const, text: '<img src=x onerror=alert(1)>' },
    { type: 'image_url' as const, image_url: { url } },
  ]
  const seen = new Transcript(speakers(), () => {})
  const [question, asked] = history
  const answer: ChatMessage = {
    role: 'tool',
    name: 'user',
    content: '',
    tool_responses: [{ role: 'tool', tool_call_id: 'c', content }],
  }
  seen.sync({ messages: [question!, asked!, answer], pending: [] })
  // The page shows results as text, so that markup in them is no markup.
  expect(seen.items.at(-1)).toMatchObject({ result: `${content[0]!.text}\n[image: image/png, 8 bytes]` })
})
