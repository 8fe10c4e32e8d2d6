import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

/** Messages of a session that are kept for a client that comes back, and their characters. */
const MOST_EVENTS = 1000
const MOST_CHARACTERS = 8 * 2 ** 20

interface KeptEvent {
  readonly number: number
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly length: number
}

/** Keeps the last messages of a session, so that a stream that broke can go on. */
export class EventBuffer implements EventStore {
  readonly #events: KeptEvent[] = []
  #count = 0
  #characters = 0

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const number = ++this.#count
    const { length } = JSON.stringify(message)
    this.#events.push({ number, stream, message, length })
    this.#characters += length
    while (this.#events.length > MOST_EVENTS || (this.#characters > MOST_CHARACTERS && this.#events.length > 1)) {
      this.#characters -= this.#events.shift()!.length
    }
    return await Promise.resolve(`${number}`)
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return await Promise.resolve(this.#find(id)?.stream)
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#find(last)
    if (!from) return ''
    const { stream } = from
    // What comes while this waits belongs to it: the stream is not connected again before it ends.
    for (let at = from.number; ;) {
      const next = this.#events.find((each) => each.number > at && each.stream === stream)
      if (!next) return stream
      at = next.number
      await send(`${at}`, next.message)
    }
  }

  #find(id: string): KeptEvent | undefined {
    return this.#events.find(({ number }) => `${number}` === id)
  }
}
