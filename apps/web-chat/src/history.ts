import type { ChatMessage, ToolResponse, XEvent } from '@x/interfaces'

/** What answers a call that was stopped. */
const STOPPED = 'Error: the call was stopped before it answered'

/** The chat that a turn is: what tools talk with others is none of its messages. */
const CHAT = '1'

/**
 * The messages of a chat, out of the events of its turns: the same in every process that reads them. After a takeover
 * events come again; each message is taken once, by the reply that it comes from.
 */
export class History {
  readonly #messages: ChatMessage[] = []
  readonly #person: string
  readonly #taken = new Set<string>()
  /** The reply that ended last; null where a chat has just begun. */
  #reply: string | null = null

  /** `person` is the name of the agent that begins each turn. */
  constructor(person: string) {
    this.#person = person
  }

  /** The messages so far, with the names of who said them. */
  get messages(): readonly ChatMessage[] {
    return this.#messages
  }

  /** A turn begins with what the person says. */
  begin(text: string): ChatMessage {
    this.#taken.clear()
    return this.#add({ role: 'user', name: this.#person, content: text })
  }

  /** Takes an event of the turn; gives the message that it brings, if it brings one. */
  take(event: XEvent): ChatMessage | undefined {
    if (event.chatId !== CHAT) return undefined
    if (event.type === 'chatStart') this.#reply = null
    else if (event.type === 'replyEnd') this.#reply = event.id
    if (event.type !== 'receivedMessage' || this.#reply === null || this.#taken.has(this.#reply)) return undefined
    this.#taken.add(this.#reply)
    return this.#add({ ...event.message, name: event.sender })
  }

  /** The turn has ended, perhaps in the middle: no call stays without an answer. */
  end(): void {
    const calls = this.#messages.at(-1)?.tool_calls ?? []
    if (calls.length === 0) return
    const responses = calls.map(({ id }): ToolResponse => ({
      ...(id !== undefined && { tool_call_id: id }),
      role: 'tool',
      content: STOPPED,
    }))
    const content = calls.map(() => STOPPED).join('\n\n')
    this.#add({ role: 'tool', name: this.#person, tool_responses: responses, content })
  }

  #add(message: ChatMessage): ChatMessage {
    this.#messages.push(message)
    return message
  }
}
