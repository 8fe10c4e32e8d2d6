import { AssistantAgent } from '@x/agent'
import { createHost, defineChat, sqlite, type DefinedChat, type Host } from '@x/host'
import { postgres, redis } from '@x/host-servers'
import type { ClaimedChat, HostBackend } from '@x/interfaces'
import { functionModel } from '@x/testing'

/** State of the long conversation. */
export interface TalkState {
  /** Messages that were answered. */
  readonly count: number
  /** Their numbers, as one number that the order of the messages decides on. */
  readonly order: number
  /** Digest of the answers. */
  readonly answers: number
}

const PRIME = 1_000_003
const MODULUS = 4_294_967_291

/** Adds a value to a digest that depends on the order of what is added. */
const digested = (digest: number, value: number): number => (digest * PRIME + value) % MODULUS

/** Messages of the conversation that its agent keeps. */
const PRESERVED = 20

const llmConfig = functionModel(({ messages }) => ({ content: `${messages.length}`, usage: [10, 1], cost: 0.25 }))

/** A conversation that counts its messages and their order, and ends with its state and cost. */
export const longTalk = (): DefinedChat<Record<string, unknown>, TalkState> =>
  defineChat({
    name: 'long-talk',
    version: '1',
    state: { count: 0, order: 0, answers: 0 } satisfies TalkState as TalkState,
    async onMessage({ count, order, answers }, message, run, { end, usage }) {
      if (message === 'end') return end({ count, order, answers, cost: usage().totalCost })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
      const { text } = await clerk.run(`Message ${String(message)}`, { conversation: 'shared', run })
      clerk.clearHistory(null, { nrMessagesToPreserve: PRESERVED })
      return { count: count + 1, order: digested(order, Number(message)), answers: digested(answers, Number(text)) }
    },
  })

/** Returns the value of the conversation after a number of messages. */
export function longTalkValue(messages: number): TalkState & { readonly cost: number } {
  let [order, answers] = [0, 0]
  for (let number = 0; number < messages; number++) {
    order = digested(order, number)
    // The clerk sees its instructions, what it has preserved, and the question.
    answers = digested(answers, Math.min(2 * number, PRESERVED) + 2)
  }
  return { count: messages, order, answers, cost: messages * 0.25 }
}

/** Opens the store of a URL, or of the path of a file. */
const openBackend = (store: string): HostBackend =>
  store.startsWith('redis:') ? redis(store) : store.startsWith('postgres:') ? postgres(store) : sqlite(store)

/** Makes the host of a process; `onClaim` is told what each claim has read. */
export function longTalkHost(store: string, onClaim?: (chat: ClaimedChat) => void): Host {
  const at = openBackend(store)
  const claim = at.store.claim.bind(at.store)
  Object.assign(at.store, {
    async claim(...args: Parameters<typeof claim>): Promise<ClaimedChat | null> {
      const chat = await claim(...args)
      if (chat) onClaim?.(chat)
      return chat
    },
  })
  return createHost({ chats: [longTalk()], at })
}
