import { createHost, sqlite, type Host } from '@x/host'
import { postgres, redis } from '@x/host-servers'
import type { HostBackend } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { createOpenAI } from '@x/provider-openai'
import { setTimeout } from 'node:timers/promises'
import { payAt } from './bank.ts'
import { orderChats } from './order-chats.ts'

/** Settings of an outage, which every process of it has. */
export interface OutageSettings {
  /** URL of the store, or the path of a file. */
  readonly store: string
  readonly provider: string
  readonly bank: string
  /** How many seconds of the real times a second stands for. */
  readonly scale: number
  /** US dollars that a chat may cost. */
  readonly chatBudget: number
}

/** Times of the default policy, which are scaled. */
const [FIRST_DELAY_S, MAX_DELAY_S, RETRY_S] = [1, 300, 21_600]

/** US dollars for 1,000 tokens of input and output. */
const PRICE = [0.001, 0.01] as const
/** One of so many chats has a budget in the store. */
const CHATS_PER_BUDGET = 5

const openBackend = (store: string): HostBackend =>
  store.startsWith('redis:') ? redis(store) : store.startsWith('postgres:') ? postgres(store) : sqlite(store)

/** Makes the host of a process. */
export function outageHost(settings: OutageSettings): {
  readonly host: Host
  readonly chats: ReturnType<typeof orderChats>
} {
  const { store, provider, bank, scale, chatBudget } = settings
  const clock = {
    random: Math.random,
    sleep: async (ms: number, signal?: AbortSignal) =>
      await setTimeout(ms / scale, undefined, { ...(signal && { signal }) }).catch(() => {}),
  }
  const chats = orderChats({
    llmConfig: llmConfig({
      ...{ providers: [createOpenAI({ clock })], model: 'fake', baseUrl: provider, apiKey: 'none' },
      ...{ price: PRICE, max_tokens: 100, cacheSeed: null },
    }),
    retry: { firstDelay: FIRST_DELAY_S / scale, maxDelay: MAX_DELAY_S / scale, for: RETRY_S / scale },
    pay: async (order, key) => await payAt(bank, order, key),
    budgetOf: (id, order) => (order % CHATS_PER_BUDGET === 0 ? host.budget(id, { cost: chatBudget }) : undefined),
  })
  const host = createHost({ chats, at: openBackend(store) })
  return { host, chats }
}
