import type { AgUiEvent, AgUiMessage } from './ag-ui-event.ts'

/** A message, as events change it. */
interface Message {
  readonly id: string
  readonly role: string
  content?: unknown
  metadata?: unknown
  toolCalls?: unknown
}

/** A call of a tool, as events change it. */
interface Call {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; arguments: string }
  metadata?: unknown
}

/** A call as a page may send it. */
type HostileCall = { readonly id?: unknown; readonly metadata?: { readonly span?: unknown } | null } | null

/** The messages that a page has: those it has sent, and what it makes of events. Only the whole of them takes one back. */
export class PageMessages {
  readonly #messages: Map<string, Message>
  /** The calls that events have made. */
  readonly #calls = new Map<string, Call>()

  constructor(messages: readonly AgUiMessage[]) {
    this.#messages = new Map(messages.map((message) => [message.id, { ...message }]))
  }

  /** True if the page has a message. */
  has(id: string): boolean {
    return this.#messages.has(id)
  }

  /** Makes of an event what the client makes of it. */
  add(event: AgUiEvent): void {
    if ('role' in event) {
      const { type: _, messageId: id, ...fields } = event
      this.#messages.set(id, { content: '', ...fields, id })
    } else if (event.type === 'TOOL_CALL_START') {
      const { type: _, toolCallId, toolCallName: name, parentMessageId: id = toolCallId, ...from } = event
      const call: Call = { id: toolCallId, type: 'function', function: { name, arguments: '' } }
      this.#calls.set(toolCallId, call)
      const message = this.#messages.get(id) ?? { role: 'assistant', ...from, id }
      this.#messages.set(id, { ...message, toolCalls: [...callsIn(message), call] })
    } else if ('toolCallId' in event) {
      const call = this.#calls.get(event.toolCallId)
      if (call && 'delta' in event) call.function.arguments += event.delta
      else if (call) call.metadata = event.metadata
    } else if ('messageId' in event) {
      const message = this.#messages.get(event.messageId)
      if (message && 'delta' in event) message.content = (message.content as string) + event.delta
      else if (message && event.metadata) message.metadata = event.metadata
    }
  }

  /** Returns the calls of all messages, by the spans that `metadata.span` names. */
  calls(): Map<string, string> {
    const spans = new Map<string, string>()
    for (const call of [...this.#messages.values()].flatMap(callsIn)) {
      const { id, metadata } = { ...(call as HostileCall) }
      if (typeof metadata?.span === 'string' && typeof id === 'string') spans.set(metadata.span, id)
    }
    return spans
  }

  /** Takes back the messages whose ids begin so: returns all others for the page; null if there are none to take back. */
  drop(prefix: string): AgUiEvent | null {
    // Most calls are new to the page: nothing is searched for them.
    if (prefix.endsWith('-') && !this.has(`${prefix}TEXT0`) && !this.has(`${prefix}REASONING0`)) return null
    const dropped = [...this.#messages.values()].filter(({ id }) => id.startsWith(prefix))
    if (dropped.length === 0) return null
    for (const { id, role } of dropped) {
      this.#messages.delete(id)
      // A client keeps its reasoning if a snapshot has none.
      if (role === 'reasoning') this.#messages.set(id, { id, role, content: '' })
    }
    return { type: 'MESSAGES_SNAPSHOT', messages: structuredClone([...this.#messages.values()]) as AgUiMessage[] }
  }
}

const callsIn = ({ toolCalls }: Message): unknown[] => (Array.isArray(toolCalls) ? toolCalls : [])
