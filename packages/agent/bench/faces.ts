import { ConversableAgent, type ConversableAgentOptions } from '@x/agent'
import type { Io } from '@x/interfaces'

/** Counts the events that were listened to. */
export const heard = { events: 0 }

const silent: Io = { send: () => {}, input: () => '', takes: new Set() }
const all: Io = { send: () => void heard.events++, input: () => '' }

/** An agent that says the same again and again; nobody listens to its events. */
export const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({
    name,
    humanInputMode: 'NEVER',
    defaultAutoReply: `from ${name}`,
    maxConsecutiveAutoReply: 1e9,
    io: silent,
    ...options,
  })

/** The same, where somebody listens to every event. */
export const listening = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  agent(name, { io: all, ...options })

/** A chat of two in each face. */
export const faces: Record<string, (a: ConversableAgent, b: ConversableAgent, maxTurns: number) => Promise<unknown>> = {
  sync: async (a, b, maxTurns) => a.initiateChatSync(b, { message: 'hi', maxTurns }),
  async: async (a, b, maxTurns) => await a.initiateChat(b, { message: 'hi', maxTurns }),
  stream: async (a, b, maxTurns) => {
    const stream = a.initiateChatStream(b, { message: 'hi', maxTurns })
    for await (const _ of stream) heard.events++
  },
}
