import { ConversableAgent, type ConversableAgentOptions } from '@x/agent'
import type { Io } from '@x/interfaces'

const io: Io = { send: () => {}, input: () => '' }

/** An agent that says the same again and again, and shows nothing. */
export const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({
    name,
    humanInputMode: 'NEVER',
    defaultAutoReply: `from ${name}`,
    maxConsecutiveAutoReply: 1e9,
    io,
    ...options,
  })

/** A chat of two in each face. */
export const faces: Record<string, (a: ConversableAgent, b: ConversableAgent, maxTurns: number) => Promise<unknown>> = {
  sync: async (a, b, maxTurns) => a.initiateChatSync(b, { message: 'hi', maxTurns }),
  async: async (a, b, maxTurns) => await a.initiateChat(b, { message: 'hi', maxTurns }),
  stream: async (a, b, maxTurns) => {
    const stream = a.initiateChatStream(b, { message: 'hi', maxTurns })
    for (;;) if ((await stream.next()).done) return
  },
}
