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
