import type { ChatMessage, XEvent } from '@x/interfaces'
import { expect, it } from 'vitest'
import type { Change, Item } from './item.ts'
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
  const seen = new Transcript((change) => told.push(change))
  seen.sync({ messages: history.slice(0, 1), pending: [] })
  seen.take(delta('I '))
  seen.take(delta('do.'))
  expect(seen.items.at(-1)).toEqual({ kind: 'assistant', text: 'I do.', live: true })
  seen.sync({ messages: history.slice(0, 2), pending })
  expect(seen.items.at(-1)).toMatchObject({ state: 'waiting', approval: '1.2' })
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

  const read = new Transcript(() => {})
  read.sync({ messages: history, pending: [] })
  const plain = (items: readonly Item[]): unknown => JSON.parse(JSON.stringify(items))
  expect(plain(seen.items)).toEqual(plain(read.items))
  expect(plain(replayed(told))).toEqual(plain(seen.items))
  expect(plain(read.items)).toEqual([
    { kind: 'user', text: 'Write.' },
    { kind: 'assistant', text: 'I do.' },
    { kind: 'tool', call: 'c', name: 'send', arguments: '{"to":"Ada"}', state: 'done', result: 'sent' },
    { kind: 'assistant', text: 'Done.' },
  ])
})

it('begins an answer anew when another model does, and leaves one that was stopped', () => {
  const transcript = new Transcript(() => {})
  transcript.take(delta('Half of'))
  transcript.take({
    type: 'modelDelta',
    agent: 'assistant',
    ...ORIGIN,
    event: { type: 'start', id: '1', model: 'm' },
  })
  transcript.take(delta('Another'))
  transcript.interrupted('Stopped.')
  expect(transcript.items).toEqual([
    { kind: 'assistant', text: 'Another' },
    { kind: 'note', text: 'Stopped.' },
  ])
})
