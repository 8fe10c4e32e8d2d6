import type { ChatRequest, ServerAnswer } from '@x/testing'

/** Where a chat of an outage is when the provider goes down. */
export const STAGES = ['new', 'looked', 'paid', 'approval', 'group', 'agent-tool', 'part'] as const
export type Stage = (typeof STAGES)[number]

/** Input of a chat. */
export interface Order {
  readonly stage: Stage
  /** Number of the order, which each of its requests names. */
  readonly order: number
}

/** Names of the members of the group, in the order in which they speak. */
export const MEMBER_NAMES = ['reader', 'critic', 'writer'] as const

/** First message of an agent; the provider reads from it whose request it gets. */
export const questionOf = (agent: string, { stage, order }: Order): string =>
  `Order ${order} (${stage}), for the ${agent}.`

/** The value of every chat. */
export const valueOf = (order: number): string => `order ${order} is settled`

/** The last answer of an agent other than the clerk. */
export const textOf = (agent: string): string => `The ${agent} has nothing to add.`

/** A request, as the provider reads it. */
export interface ReadRequest extends Order {
  readonly agent: string
  /** Results of tools that the agent has so far. */
  readonly results: number
}

/** Reads whose request it is. The agent is that of the system message, since members of a group share their first message. */
export function readRequest({ messages }: ChatRequest): ReadRequest {
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : ''))
  const [, order, stage] = /Order (\d+) \(([\w-]+)\)/u.exec(texts.join('\n')) ?? []
  const [, agent = ''] = /^You are the (\w+)\./u.exec(texts[0] ?? '') ?? []
  const results = messages.filter(({ role }) => role === 'tool').length
  return { agent, order: Number(order), stage: stage as Stage, results }
}

/** The request of each stage that is under way when the provider goes down: the agent and its results. */
const HELD: Readonly<Partial<Record<Stage, readonly [agent: string, results: number]>>> = {
  looked: ['clerk', 1],
  paid: ['clerk', 2],
  group: ['critic', 0],
  'agent-tool': ['expert', 1],
  part: ['clerk', 1],
}

/** Stages whose chats have a request under way when the provider goes down. */
export const HELD_STAGES: readonly Stage[] = STAGES.filter((stage) => HELD[stage])

/** True for a request that the provider holds until it goes down. */
export const isHeld = ({ stage, agent, results }: ReadRequest): boolean =>
  HELD[stage]?.[0] === agent && HELD[stage]?.[1] === results

/** Returns the answer of the provider: each agent calls its tools one after the other, and then says that it is done. */
export function answerTo({ agent, order, results }: ReadRequest): ServerAnswer {
  const name = CALLS[agent]?.[results]
  if (name === undefined) return { content: agent === 'clerk' ? valueOf(order) : textOf(agent) }
  const args = name === 'expert' ? { question: `Order ${order} (agent-tool), for the expert.` } : {}
  return { content: null, tool_calls: [{ id: `call-${results}`, function: { name, arguments: JSON.stringify(args) } }] }
}

/** Tools that an agent calls. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  clerk: ['look', 'pay'],
  chief: ['expert', 'pay'],
  expert: ['look'],
}
