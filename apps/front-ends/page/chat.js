// A page with the `useChat` of the AI SDK, as its users write it.
import { useChat } from '@ai-sdk/react'
import { hasDecided } from '@x/ui'
import { DefaultChatTransport } from 'ai'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'

const json = (value) => JSON.stringify(value)

function Part({ part, chat }) {
  const { type, state, input, output, approval } = part
  if (type === 'text' || type === 'reasoning') return h('p', { className: type }, part.text)
  if (type === 'data-agent') return h(Message, { message: part.data, chat })
  if (!type.startsWith('tool-')) return null
  const decide = (approved) => () => chat.addToolApprovalResponse({ id: approval.id, approved, reason: 'by hand' })
  const answer = () => chat.addToolOutput({ tool: 'ask_person', toolCallId: part.toolCallId, output: 'blue' })
  return h(
    'div',
    { className: 'call' },
    `${type.slice(5)} ${state} ${json(input)} ${json(output ?? null)}`,
    state === 'approval-requested' && h('button', { onClick: decide(true) }, `Allow ${type.slice(5)}`),
    state === 'approval-requested' && h('button', { onClick: decide(false) }, `Deny ${type.slice(5)}`),
    type === 'tool-ask_person' && state === 'input-available' && h('button', { onClick: answer }, 'Blue'),
  )
}

function Message({ message, chat }) {
  const { role, metadata, parts } = message
  return h(
    'article',
    { className: role },
    parts.map((part, index) => h(Part, { part, chat, key: index })),
    metadata?.state && h('footer', null, `${metadata.agent} is ${metadata.state}`),
    metadata?.usage && h('footer', null, `${metadata.usage.totalTokens} tokens, ${metadata.terminationReason}`),
  )
}

function Chat() {
  const query = new URLSearchParams(location.search)
  const [api, resume] = [query.get('api'), query.has('resume')]
  const chat = useChat({
    id: 'c1',
    resume,
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: hasDecided,
  })
  const send = (event) => {
    event.preventDefault()
    void chat.sendMessage({ text: new FormData(event.target).get('text') })
  }
  return h(
    'main',
    null,
    chat.messages.map((message) => h(Message, { message, chat, key: message.id })),
    h('form', { onSubmit: send }, h('input', { name: 'text' })),
    h('button', { onClick: () => chat.stop() }, 'Stop'),
    h('output', null, `${chat.status}${chat.error ? `: ${chat.error.message}` : ''}`),
  )
}

createRoot(document.body.appendChild(document.createElement('div'))).render(h(Chat))
