import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { fit, limitTokens, pin, summarize } from '@x/history'
import type { XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'

// Simulated models: `llmConfig({ … })` of `@x/model` gives real ones, with windows that need no `limitTokens`.
const long = 'We looked at your order again, and it is on its way. '.repeat(12)
const answers = functionModel(() => long)
const small = functionModel(() => 'Ann (order 4711) waits for a blue kettle; a refund was offered on Monday.')

const events: XEvent[] = []
const io = { send: (event: XEvent) => void events.push(event), input: () => '' }

// #region program
const support = new AssistantAgent({
  name: 'support',
  llmConfig: answers,
  // A chat of weeks: the first message stays, a cheaper model sums up what is old.
  history: fit(limitTokens(4000), pin(1), summarize({ model: small, at: 0.8 })),
  io,
})
const customer = new UserProxyAgent({ name: 'customer', humanInputMode: 'NEVER', io })

for (let day = 1; day <= 60; day++) {
  const message = `Day ${day}: where is my kettle?`
  await customer.initiateChat(support, { message, maxTurns: 1, clearHistory: day === 1 })
}
// #endregion

const stored = support.chatMessages.get(customer)!
const last = answers.calls.at(-1)!.messages
console.log(`${stored.length} messages are stored, ${last.length} were sent last; the first of them:`)
for (const { content } of last.slice(1, 3)) console.log(content)
for (const event of events) if (event.type === 'historyCut') console.log(event)
