import { functionModel } from '@x/testing'
// #region imports
import { ConversableAgent } from '@x/agent'
import { defaultPattern, groupTool, initiateGroupChat, replyResult, terminate } from '@x/group'
import { z } from 'zod'
// #endregion

// A simulated model of everybody: `llmConfig({ … })` of `@x/model` gives a real one.
const config = functionModel(({ agent, messages }) => {
  const call = (name: string, args: object) => ({
    tool_calls: [{ id: `${name}-${messages.length}`, function: { name, arguments: JSON.stringify(args) } }],
  })
  if (agent === 'billing') return 'The invoice is corrected; you get 12 euros back.'
  if (agent === 'tech') return 'Please start the router anew.'
  return messages.some(({ role }) => role === 'tool')
    ? call('transfer_to_billing_1', {})
    : call('look_up_customer', { email: 'ada@example.org' })
})

// #region tool
interface Support {
  customer: string
  vip: boolean
}
const lookUpCustomer = groupTool<Support>()({
  name: 'look_up_customer',
  description: 'Looks a customer up.',
  parameters: z.object({ email: z.string() }),
  execute: ({ email }) =>
    replyResult<Support>({
      message: `${email} is a customer.`,
      contextVariables: { customer: email },
    }),
})
// #endregion

// #region agents
const triage = new ConversableAgent({
  name: 'triage',
  systemMessage: 'You send customers to who can help.',
  llmConfig: config,
  functions: [lookUpCustomer],
})
const billing = new ConversableAgent({ name: 'billing', llmConfig: config })
const tech = new ConversableAgent({ name: 'tech', llmConfig: config })
// #endregion

// #region pattern
const support = defaultPattern<Support>({
  initialAgent: triage,
  agents: [
    {
      agent: triage,
      handoffs: [
        { to: tech, when: ({ vip }) => vip },
        { to: billing, when: 'The question is about an invoice.' },
        { to: tech, when: 'Something does not work.' },
        { to: terminate, after: true },
      ],
    },
    billing,
    tech,
  ],
  contextVariables: { customer: '', vip: false },
})
// #endregion

// #region chat
const result = await initiateGroupChat(support, 'My invoice is wrong.', {
  maxRounds: 20,
})
console.log(result.summary)
console.log(result.contextVariables.customer, result.lastSpeaker)
// #endregion
