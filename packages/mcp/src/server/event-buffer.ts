import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

/** Messages of a session that are kept for a client that comes back. */
const MOST_EVENTS = 1000

/** Keeps the last messages of a session, so that a stream that broke can go on. */
export class EventBuffer implements EventStore {
  readonly #events: { readonly id: string; readonly stream: string; readonly message: JSONRPCMessage }[] = []
  #count = 0

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${++this.#count}`
    this.#events.push({ id, stream, message })
    if (this.#events.length > MOST_EVENTS) this.#events.shift()
    return await Promise.resolve(id)
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return await Promise.resolve(this.#events.find((each) => each.id === id)?.stream)
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const index = this.#events.findIndex(({ id }) => id === last)
    const stream = this.#events[index]?.stream
    if (stream === undefined) return ''
    for (const { id, message } of this.#events.slice(index + 1).filter((each) => each.stream === stream)) {
      await send(id, message)
    }
    return stream
  }
}
