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
const origin = { chatId: '1', agentPath: [] } as const
const piece = (text: string): XEvent => ({
  type: 'modelDelta',
  agent: 'assistant',
  ...origin,
  event: { type: 'textDelta', index: 0, text },
})

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
  const warning: XEvent = { type: 'warning', agent: null, ...origin, topic: 'test', text: 'careful' }
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
