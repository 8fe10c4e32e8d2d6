import { AssistantAgent, tool, UserProxyAgent, type ConversableAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { Io, LlmConfig, Tool } from '@x/interfaces'
import type { SessionAgents } from '@x/session'
import { z } from 'zod'
import { simulatedGroup } from './simulated-group.ts'

/** Options of the example group. */
export interface ExampleGroupOptions {
  /** Model of the members and of the choice of speakers; default: a simulated model. */
  readonly llmConfig?: LlmConfig | undefined
  /** Asks the person for a turn, and receives the events of all agents. */
  readonly io: Io
  /** Orders groceries once the person has approved, and returns the answer of the shop. A repeated call has the same `key`. */
  readonly order: (request: OrderRequest, key: string) => string
  /** Milliseconds between two words of the simulated model; default 30. */
  readonly pace?: number | undefined
}

/** The arguments of an order of the buyer. */
export interface OrderRequest {
  readonly shop: 'market' | 'corner shop' | 'supermarket'
  readonly items: readonly string[]
  /** Maximum price, in euros. */
  readonly limit: number
  readonly note: string
  /** Whether to deliver within the hour. */
  readonly express: boolean
}

/** Message of a person who stays silent, as the other members read it. */
export const SILENT_MESSAGE = '(stays silent)'

const ORDER_SCHEMA: z.ZodType<OrderRequest> = z.object({
  shop: z.enum(['market', 'corner shop', 'supermarket']).describe('Where to order'),
  items: z.array(z.string()).describe('What to order'),
  limit: z.number().min(0).describe('Most that it may cost, in euros'),
  note: z.string().describe('A note to the shop'),
  express: z.boolean().describe('Deliver within the hour'),
})

/** The members beside the person: name, description for the others, and task for the model. */
const MEMBER_ROLES = [
  ['planner', 'Plans menus; asks the guest what is open, and closes the talk.', 'You plan the menu.'],
  ['cook', 'Writes the recipes for a menu.', 'You write the recipes, with times and quantities.'],
  ['critic', 'Finds what is missing or too much.', 'You find what is missing, too much or too late.'],
  ['buyer', 'Looks prices up and orders groceries.', 'You look up a price and order what is needed.'],
] as const

const SHARED_INSTRUCTIONS =
  'You plan a dinner with others: a planner, a cook, a critic, a buyer, and the guest `user` who gives the dinner. Say what ' +
  'your part is, in at most four sentences. The planner asks `user` what only they can say, and when everything is settled ' +
  'sums up and ends with the word TERMINATE; nobody else writes that word.'

/** Creates four agents and a person who plan a dinner, for a `ChatSession`. */
export function createExampleGroup({ llmConfig, io, order, pace }: ExampleGroupOptions): SessionAgents {
  const model = llmConfig ?? simulatedGroup(pace)
  const user = new UserProxyAgent({
    name: 'user',
    description: 'The guest who gives the dinner: is asked what only they can say.',
    humanInputMode: 'ALWAYS',
    codeExecutionConfig: false,
    defaultAutoReply: SILENT_MESSAGE,
    io,
  })
  const members = MEMBER_ROLES.map(
    ([name, description, task]) =>
      new AssistantAgent({
        name,
        description,
        systemMessage: `You are the ${name}. ${task} ${SHARED_INSTRUCTIONS}`,
        llmConfig: model,
        isTerminationMsg: () => false,
        io,
        ...(name === 'buyer' && { functions: shopTools(order) }),
      }),
  )
  for (const each of shopTools(order)) buyerOf(members).registerForExecution(each)
  // Only the person may not speak twice in a row, so that silence is not asked about again.
  const groupchat = new GroupChat({ agents: [user, ...members], maxRound: 24, allowRepeatSpeaker: members, io })
  const manager = new GroupChatManager({
    groupchat,
    llmConfig: model,
    isTerminationMsg: ({ content }) => typeof content === 'string' && /\bTERMINATE\W*$/u.test(content),
    io,
  })
  return { user, assistant: manager, members }
}

const buyerOf = (members: readonly ConversableAgent[]): ConversableAgent => members.at(-1)!

function shopTools(order: ExampleGroupOptions['order']): Tool[] {
  return [
    tool({
      name: 'look_up_price',
      description: 'The price of an item today, in euros.',
      parameters: z.object({ item: z.string() }),
      execute: ({ item }) => ({ item, euros: (item.length % 7) + 1.5 }),
    }),
    tool({
      name: 'order_groceries',
      description: 'Orders groceries in the name of the guest, who approves of it first.',
      parameters: ORDER_SCHEMA,
      needsApproval: true,
      execute: (request, { key }) => order(request, key),
    }),
  ]
}
