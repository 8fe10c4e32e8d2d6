import { ConversableAgent, UserProxyAgent } from '@x/agent'
import {
  autoPattern,
  defaultPattern,
  groupManager,
  groupTool,
  initiateGroupChat,
  manualPattern,
  randomPattern,
  replyResult,
  revertToUser,
  roundRobinPattern,
  terminate,
} from '@x/group'
import { functionModel } from '@x/testing'

// Simulated models and a simulated person: `llmConfig({ … })` of `@x/model` gives real models, and without `io` the
// console asks a real person.
const calls = (name: string, args: object = {}) => ({
  tool_calls: [{ id: name, function: { name, arguments: JSON.stringify(args) } }],
})
const says = (text: string) => functionModel(() => text)
const events: string[] = []
const typing = (...lines: string[]) => ({ send: () => {}, input: () => lines.shift() ?? 'exit' })
const agent = (name: string, llmConfig = says(`${name} has worked.`)) =>
  new ConversableAgent({ name, description: `Does the work of ${name}.`, humanInputMode: 'NEVER', llmConfig })
const asks = functionModel(({ messages }) => {
  const last = messages.at(-1)?.content
  if (last === 'My invoice is wrong.') return calls('look_up', { number: 7 })
  return last === 'invoice 7: paid twice' ? calls('transfer_to_billing_1') : 'Anything else?'
})

// #region default
interface Desk {
  vip: boolean
  invoice: number
}
const lookUp = groupTool<Desk>()({
  name: 'look_up',
  description: 'Looks an invoice up.',
  parameters: { type: 'object', properties: { number: { type: 'number' } } },
  execute: ({ number }, { contextVariables }) => {
    contextVariables.set('invoice', number as number)
    return replyResult<Desk>({ message: `invoice ${String(number)}: paid twice` })
  },
})
const triage = new ConversableAgent({ name: 'triage', humanInputMode: 'NEVER', llmConfig: asks, functions: lookUp })
const [tech, billing] = [agent('tech'), agent('billing')]
const person = new UserProxyAgent({ name: 'person', io: typing('Thank you.') })

const desk = defaultPattern({
  contextVariables: { vip: false, invoice: 0 },
  initialAgent: triage,
  userAgent: person,
  groupAfterWork: revertToUser,
  agents: [
    {
      agent: triage,
      handoffs: [
        { to: tech, when: (variables) => variables.vip },
        { to: billing, when: 'It is about the invoice {invoice}.', available: (variables) => variables.invoice > 0 },
      ],
      inputGuardrails: [{ name: 'secrets', check: /password/u, to: terminate('a secret was told') }],
    },
    tech,
    billing,
  ],
  until: ({ messages }) => messages.at(-1)?.content === 'Thank you.' && 'the person is content',
})
const solved = await initiateGroupChat(desk, 'My invoice is wrong.', {
  emit: (event) => {
    if (event.type === 'handoff') events.push(`${event.agent} → ${event.to} (${event.by})`)
  },
})
console.log(solved.terminationReason, solved.terminationDetail, solved.contextVariables, events)
// #endregion

const chooses = functionModel(({ messages }) => (messages.some(({ name }) => name === 'writer') ? 'critic' : 'writer'))

// #region auto
const team = autoPattern({
  initialAgent: 'planner',
  agents: [agent('planner'), agent('writer'), agent('critic', says('TERMINATE'))],
  selectionMessage: 'Who of {agentlist} has to speak now?',
  groupManagerArgs: { llmConfig: chooses },
})
await initiateGroupChat(team, 'A poem, please.')
// #endregion

// #region round-robin
const relay = roundRobinPattern({ initialAgent: 'two', agents: [agent('one'), agent('two'), agent('three')] })
await initiateGroupChat(relay, 'Go.', { maxRounds: 5 })
// #endregion

// #region random
const dice = randomPattern({
  initialAgent: 'one',
  agents: [agent('one'), agent('two'), agent('three')],
  random: () => 0,
})
await initiateGroupChat(dice, 'Go.', { maxRounds: 4 })
// #endregion

// #region manual
const led = manualPattern({
  initialAgent: 'one',
  agents: [agent('one'), agent('two')],
  groupManagerArgs: { io: typing('2', '1') },
})
await initiateGroupChat(led, 'Go.', { maxRounds: 4 })
// #endregion

// #region own
const [clerk, boss] = [agent('clerk'), agent('boss', says('TERMINATE'))]
const own = {
  ...defaultPattern({ initialAgent: clerk, agents: [clerk, boss], groupManagerArgs: { llmConfig: says('boss') } }),
  next: () => groupManager({ candidates: [clerk, boss], allowRepeatSpeaker: true }),
}
await initiateGroupChat(own, 'Go.')
// #endregion
