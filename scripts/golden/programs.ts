import {
  AssistantAgent,
  ConversableAgent,
  tool,
  UserProxyAgent,
  type ChatJournal,
} from '../../packages/agent/src/index.ts'
import { GroupChat, GroupChatManager } from '../../packages/group/src/index.ts'
import { fit, limitTokens } from '../../packages/history/src/index.ts'
import { defineChat, type DefinedChat } from '../../packages/host/src/index.ts'
import type { ChatResult, HistoryView, LlmConfig, Tool } from '../../packages/interfaces/src/index.ts'
import type { SearchParts } from '../../packages/reasoning/src/index.ts'
import { functionModel } from '../../packages/testing/src/index.ts'

/** The texts that stores find hard: U+0000, half a surrogate pair, letters beyond ASCII, the escape itself. */
const HARD_TEXT = 'Åse \0 \uD83D \u001A0000 😀'

const call = (name: string, args: object) => ({
  tool_calls: [{ id: name, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }],
})

/**
 * The programs below have written golden files, and have to stay as they are: one that changes could not go on with them.
 * A program for a new golden file is a new function.
 */

/** The model of a clerk: it looks an order up, pays it back, and says so; every reply has a price. */
function clerkModel(asked: { count: number }): LlmConfig {
  return functionModel(
    ({ messages }) => {
      asked.count++
      const last = messages.at(-1)!
      if (last.role !== 'tool') return call('look', { order: '17' })
      const results = messages
        .slice(messages.findLastIndex(({ role }) => role === 'user'))
        .filter(({ role }) => role === 'tool')
      return results.length === 1 ? call('pay', { euros: 25 }) : `Done: ${last.content as string}. ${HARD_TEXT}`
    },
    { usage: [20, 5], cost: 0.002 },
  )
}

/** The tools of a clerk; to pay needs an approval. */
function clerkTools(paid: string[]): Tool[] {
  const parameters = { type: 'object' } as const
  return [
    tool({ name: 'look', description: 'Looks.', parameters, execute: () => ({ order: 17, of: HARD_TEXT }) }),
    tool({
      name: 'pay',
      description: 'Pays.',
      parameters,
      needsApproval: true,
      execute({ euros }, { key }) {
        paid.push(key)
        return `${String(euros)} euros`
      },
    }),
  ]
}

/** What a program has done beside its result. */
export interface Deeds {
  readonly asked: { count: number }
  /** The keys with which it was paid. */
  readonly paid: string[]
}

export const noDeeds = (): Deeds => ({ asked: { count: 0 }, paid: [] })

/** Two agents of a shop, the first with tools, context variables and a nested state. */
export function shopAgents(
  { asked, paid }: Deeds,
  history?: HistoryView,
): [customer: ConversableAgent, clerk: ConversableAgent] {
  const clerk = new AssistantAgent({ name: 'clerk', llmConfig: clerkModel(asked), ...(history && { history }) })
  const customer = new UserProxyAgent({
    name: 'customer',
    humanInputMode: 'NEVER',
    codeExecutionConfig: false,
    contextVariables: { orders: [17], note: HARD_TEXT },
    isTerminationMsg: ({ tool_calls: calls }) => !calls?.length,
  })
  for (const each of clerkTools(paid)) customer.registerForExecution(each)
  return [customer, clerk]
}

/** A chat of the shop, up to its question or its end. */
export async function shopChat(deeds: Deeds, journal: ChatJournal): Promise<ChatResult> {
  const [customer, clerk] = shopAgents(deeds)
  const options = { message: 'It came broken.', journal, runId: 'golden', version: '1', silent: true }
  return await customer.initiateChat(clerk, options)
}

/** A short window, so that the history of a few turns is cut. */
export const shortHistory = (): HistoryView => fit(limitTokens(130))

/** Two members of a group and their manager; the group speaks in turns. */
export function groupAgents(): { first: ConversableAgent; members: ConversableAgent[]; manager: GroupChatManager } {
  const members = ['ann', 'bob'].map(
    (name) =>
      new ConversableAgent({
        name,
        llmConfig: functionModel(({ messages }) => `${name} read ${messages.length}`),
        codeExecutionConfig: false,
      }),
  )
  const groupchat = new GroupChat({ agents: members, messages: [], maxRound: 4, speakerSelectionMethod: 'round_robin' })
  return { first: members[0]!, members, manager: new GroupChatManager({ groupchat, llmConfig: false }) }
}

/** The program of a host: a clerk that pays after an approval, and then waits for a message. */
export const shopProgram = ({ asked, paid }: Deeds) =>
  defineChat({
    name: 'shop',
    version: '1',
    async run({ input, run, receive }) {
      const agent = new AssistantAgent({ name: 'clerk', llmConfig: clerkModel(asked) })
      const { text } = await agent.run(`${String(input['what'])} came broken.`, { tools: clerkTools(paid), run })
      return { text, thanks: await receive() }
    },
  })

/** A conversation of a host: its clerk, who keeps the messages, pays after an approval for each of them. */
export const talkProgram = ({ asked, paid }: Deeds): DefinedChat =>
  defineChat({
    name: 'talk',
    version: '1',
    state: { answers: [] as string[] },
    async onMessage({ answers }, message, run, { end, usage }) {
      if (message === 'end') return end({ answers, cost: usage().totalCost })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig: clerkModel(asked) })
      clerk.setContext('note', HARD_TEXT)
      const tools = clerkTools(paid)
      const { text, messages } = await clerk.run(String(message), { tools, conversation: 'shared', run })
      return { answers: [...answers, `${messages.length} messages: ${text}`] }
    },
  }) as DefinedChat

/** The parts of a search, whose results hang on the node alone. */
export function searchParts(asked: { count: number }): SearchParts {
  const ask = <T>(answer: T): T => (asked.count++, answer)
  const used = { calls: 1, promptTokens: 7, completionTokens: 3, cost: 0.25, model: 'm' }
  return {
    proposer: {
      propose: ({ node }) =>
        ask({
          ...{ text: HARD_TEXT, reflection: `on ${node.id}`, used },
          options: ['left', 'right'].map((content) => ({ content: `${content} of ${node.depth}`, output: null })),
        }),
    },
    grader: {
      grade: ({ nodes }) =>
        ask({
          grades: nodes.map(({ content }) => ({
            value: content.startsWith('left') ? 0.75 : 0.5,
            details: `for ${content}`,
          })),
          used,
        }),
    },
    answerer: {
      answer: ({ from }) => ask({ text: `answer by ${from.map(({ content }) => content).join(', ')}`, used }),
      merge: ({ answers }) => ({ text: answers.join(', '), used }),
    },
  }
}
