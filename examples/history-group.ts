import { AssistantAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { fit, limitTokens, summarize } from '@x/history'
import { functionModel } from '@x/testing'

// Simulated models: `llmConfig({ … })` of `@x/model` gives real ones.
const says = (name: string) =>
  functionModel(({ messages }) => `${name}, who has read ${messages.length}: ${'and so on '.repeat(40)}`)
const small = functionModel(() => 'They plan a dinner: soup, then fish; the dessert is open.')
let turn = 0
const NAMES = ['planner', 'cook', 'critic']
const chooses = functionModel(() => NAMES[turn++ % NAMES.length]!)

const io = { send: () => {}, input: () => '' }

// #region program
// One value serves all of them: each agent has a history of its own.
const history = fit(limitTokens(2000), summarize({ model: small }))
const agents = NAMES.map((name) => new AssistantAgent({ name, llmConfig: says(name), history, io }))
const groupchat = new GroupChat({ agents, maxRound: 40, io })
// The choice of speakers reads the whole talk too.
const manager = new GroupChatManager({ groupchat, llmConfig: chooses, history, io })

const chat = await agents[0]!.initiateChat(manager, { message: 'A dinner for four, please.' })
// #endregion

const largest = Math.max(...chooses.calls.map(({ messages }) => messages.length))
console.log(
  `${groupchat.messages.length} messages; ${small.calls.length} summaries; at most ${largest} were sent for a choice.`,
)
console.log(chat.terminationReason)
