import type { ChatMessage, ToolResponse, XEvent } from '@x/interfaces'

/** Result of a tool call that was stopped. */
const STOPPED_RESULT = 'Error: the call was stopped before it answered'

/** Identifier of a turn's own chat in its run; chats that tools start have others. */
const TURN_CHAT_ID = '1'

/**
 * Reads the messages of a chat from the events of its turns, with the same result in every process. After a takeover events
 * come again, so each message is taken once, by the reply that it comes from.
 */
export class History {
  readonly #messages: ChatMessage[] = []
  readonly #person: string
  readonly #taken = new Set<string>()
  /** The reply that ended last; null when a chat has just begun. */
  #reply: string | null = null

  /** `person` is the name of the agent that begins each turn. */
  constructor(person: string) {
    this.#person = person
  }

  /** The messages so far, with the names of their authors. */
  get messages(): readonly ChatMessage[] {
    return this.#messages
  }

  /** Begins a turn with the message of the person. */
  begin(text: string): ChatMessage {
    this.#taken.clear()
    return this.#add({ role: 'user', name: this.#person, content: text })
  }

  /** Takes an event of the turn; returns its message, if it has one. */
  take(event: XEvent): ChatMessage | undefined {
    if (event.chatId !== TURN_CHAT_ID) return undefined
    if (event.type === 'chatStart') this.#reply = null
    else if (event.type === 'replyEnd') this.#reply = event.id
    if (event.type !== 'receivedMessage' || this.#reply === null || this.#taken.has(this.#reply)) return undefined
    this.#taken.add(this.#reply)
    return this.#add({ ...event.message, name: event.sender })
  }

  /** Ends the turn. If it was stopped, pending calls get a result. */
  end(): void {
    const calls = this.#messages.at(-1)?.tool_calls ?? []
    if (calls.length === 0) return
    const responses = calls.map(({ id }): ToolResponse => ({
      ...(id !== undefined && { tool_call_id: id }),
      role: 'tool',
      content: STOPPED_RESULT,
    }))
    const content = calls.map(() => STOPPED_RESULT).join('\n\n')
    this.#add({ role: 'tool', name: this.#person, tool_responses: responses, content })
  }

  #add(message: ChatMessage): ChatMessage {
    this.#messages.push(message)
    return message
  }
}
