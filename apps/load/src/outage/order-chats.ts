import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { defineChat, type ChatRun, type DefinedChat } from '@x/host'
import type { Budget, LlmConfig, Run, Tool } from '@x/interfaces'
import { MEMBER_NAMES, questionOf, textOf, valueOf, type Order } from './script.ts'

/** Services that the chats of an outage need. */
export interface OrderServices {
  readonly llmConfig: LlmConfig
  readonly retry: DefinedChat['retry']
  /** Pays for an order; `key` is the same when the call is repeated. */
  readonly pay: (order: number, key: string) => Promise<void>
  /** The budget of a chat; undefined for none. */
  readonly budgetOf: (id: string, order: number) => Budget | undefined
}

/** Most parts at once in a worker. */
const PARTS_PER_WORKER = 5000

/** Defines the chats: each settles an order, which it pays for once, alone or with a group, another agent or a part. */
export function orderChats(services: OrderServices): readonly [order: DefinedChat<Order>, part: DefinedChat<Order>] {
  const { retry } = services
  const part = define({ name: 'part', retry, concurrency: PARTS_PER_WORKER, run: (chat) => clerk(services, chat) })
  const order = define({
    ...{ name: 'order', retry },
    async run(chat) {
      const { input, perform } = chat
      if (input.stage === 'part') return await perform(part, input)
      if (input.stage === 'agent-tool') return await chief(services, chat)
      if (input.stage === 'group') await discuss(services, chat)
      return await clerk(services, chat)
    },
  })
  return [order, part]
}

const define = (
  options: Pick<DefinedChat, 'name' | 'concurrency' | 'retry'> & { readonly run: (chat: ChatRun<Order>) => unknown },
): DefinedChat<Order> =>
  defineChat({ ...options, version: '1', run: (chat) => options.run(chat as unknown as ChatRun<Order>) }) as never

/** Looks an order up, pays for it, and says so. */
const clerk = async (services: OrderServices, { id, input, run }: ChatRun<Order>): Promise<string> =>
  await ask(services, { name: 'clerk', id, input, run, tools: [lookTool(), payTool(services, input)] })

/** Lets an expert look the order up, who is an agent and a tool, and pays for it. */
async function chief(services: OrderServices, { input, run }: ChatRun<Order>): Promise<string> {
  const expert = agentOf(services, 'expert')
  expert.use(lookTool())
  const tools = [expert.asTool(), payTool(services, input)]
  const { toolCalls } = await agentOf(services, 'chief').run(questionOf('chief', input), { tools, run })
  const told = toolCalls.find(({ name }) => name === 'expert')?.result
  return told === textOf('expert') ? valueOf(input.order) : `not settled: the expert says ${String(told)}`
}

/** Lets a group talk about the order. */
async function discuss(services: OrderServices, { input, run }: ChatRun<Order>): Promise<void> {
  const agents = MEMBER_NAMES.map((name) => agentOf(services, name))
  const groupchat = new GroupChat({ agents, maxRound: agents.length + 1, speakerSelectionMethod: 'round_robin' })
  const asker = new UserProxyAgent({ name: 'asker', humanInputMode: 'NEVER', codeExecutionConfig: false })
  const message = questionOf('group', input)
  await asker.initiateChat(new GroupChatManager({ groupchat }), { message, maxTurns: 1, run, silent: true })
}

interface Question extends Pick<ChatRun<Order>, 'id' | 'input'> {
  readonly run: Run
  readonly name: string
  readonly tools: readonly Tool[]
}

async function ask(services: OrderServices, { name, id, input, run, tools }: Question): Promise<string> {
  const budget = services.budgetOf(id, input.order)
  const { text, terminationReason } = await agentOf(services, name).run(questionOf(name, input), {
    ...{ tools, run, ...(budget && { budget }) },
  })
  // An answer of the model and nothing else settles an order.
  return terminationReason === 'answered' ? text : `not settled: ${terminationReason}`
}

const agentOf = ({ llmConfig }: OrderServices, name: string): AssistantAgent =>
  new AssistantAgent({ name, llmConfig, systemMessage: `You are the ${name}.`, silent: true })

const lookTool = (): Tool =>
  tool({ name: 'look', description: 'Looks the order up.', parameters: NO_PARAMETERS, execute: () => 'one lamp' })

const payTool = ({ pay }: OrderServices, { order, stage }: Order): Tool =>
  tool({
    name: 'pay',
    description: 'Pays for the order.',
    parameters: NO_PARAMETERS,
    needsApproval: stage === 'approval',
    async execute(_, { key }) {
      await pay(order, key)
      return 'paid'
    },
  })

const NO_PARAMETERS = { type: 'object', properties: {} } as const
