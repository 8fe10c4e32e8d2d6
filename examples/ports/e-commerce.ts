/**
 * Customer service of a shop, with a person in the group: orders are looked up once the customer has proved who they are, and
 * what is said to them comes through the person's own turn. After the e-commerce order management of AG2's documentation.
 */
import { equal, match } from 'node:assert/strict'
import { ConversableAgent, UserProxyAgent } from '@x/agent'
import { autoPattern, groupTool, initiateGroupChat, replyResult, terminate } from '@x/group'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'
import { z } from 'zod'

interface Shop {
  customer: string
  order: string
}

// A simulated model of everybody.
const config = functionModel(({ agent, messages }) => {
  const call = (name: string, args: object) => ({
    tool_calls: [{ id: `${name}-${messages.length}`, function: { name, arguments: JSON.stringify(args) } }],
  })
  const said = messages.map(({ content }) => contentText(content)).join('\n')
  if (agent === 'triage')
    return said.includes('ada') ? call('log_in', { user: 'ada' }) : 'Please tell me your user name.'
  if (agent === 'orders') {
    if (said.includes('is on its way')) return 'Your order TR13 is on its way.'
    return call('check_order', { order: 'TR13' })
  }
  return said.includes('ada') ? 'triage' : 'customer'
})

const logIn = groupTool<Shop>()({
  name: 'log_in',
  description: 'Logs a customer in.',
  parameters: z.object({ user: z.string() }),
  execute: ({ user }) =>
    replyResult<Shop>({ message: `${user} is logged in.`, contextVariables: { customer: user }, target: orders }),
})
const checkOrder = groupTool<Shop>()({
  name: 'check_order',
  description: 'Looks an order of the customer up.',
  parameters: z.object({ order: z.string() }),
  execute({ order }, { contextVariables }) {
    if (contextVariables.get('customer') === '') return 'Nobody is logged in.'
    return replyResult<Shop>({ message: `Order ${order} is on its way.`, contextVariables: { order } })
  },
})

const triage = new ConversableAgent({ name: 'triage', llmConfig: config, functions: [logIn] })
const orders: ConversableAgent = new ConversableAgent({ name: 'orders', llmConfig: config, functions: [checkOrder] })
// Who answers here is a person; the program stands in for them.
const answers = ['ada', 'exit']
const customer = new UserProxyAgent({
  name: 'customer',
  humanInputMode: 'ALWAYS',
  codeExecutionConfig: false,
  io: { send() {}, input: () => answers.shift() ?? 'exit' },
})

const { chatHistory, contextVariables } = await initiateGroupChat(
  autoPattern<Shop>({
    initialAgent: triage,
    agents: [
      { agent: triage, handoffs: [{ to: customer, after: true }] },
      { agent: orders, handoffs: [{ to: terminate, after: true }] },
    ],
    userAgent: customer,
    contextVariables: { customer: '', order: '' },
    groupManagerArgs: { llmConfig: config },
  }),
  'Where is my order TR13?',
  { maxRounds: 20, silent: true },
)
for (const { name, content } of chatHistory) console.log(`${name}: ${contentText(content)}`)
equal(contextVariables.customer, 'ada')
match(contentText(chatHistory.at(-1)?.content), /on its way/u)
