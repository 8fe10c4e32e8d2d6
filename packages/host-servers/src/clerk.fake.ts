import { AssistantAgent, tool } from '@x/agent'
import { defineChat, type DefinedChat } from '@x/host'
import { functionModel } from '@x/testing'

/** Listeners for the calls of a test chat. */
export interface ClerkLog {
  /** Called when a model is asked, with the last message. */
  asked?(id: string, content: string): void | Promise<void>
  /** Called when a tool runs, with the key of the call. */
  paid?(id: string, key: string): void | Promise<void>
}

/** A clerk that looks an order up and pays it back; above 10 euros it needs an approval. */
export const clerkChat = (log: ClerkLog = {}): DefinedChat<Record<string, unknown>> =>
  defineChat({
    name: 'clerk',
    version: '1',
    async run({ id, input, run }) {
      const llmConfig = functionModel(async ({ messages }) => {
        const last = messages.at(-1) as { content: string; role: string }
        await log.asked?.(id, last.content)
        if (last.role !== 'tool') return call('look', {})
        const results = messages.filter(({ role }) => role === 'tool').length
        return results === 1 ? call('pay', { euros: input['euros'] }) : `done: ${last.content}`
      })
      const parameters = { type: 'object' } as const
      const look = tool({ name: 'look', description: 'Looks.', parameters, execute: () => `order of ${id}` })
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        parameters,
        needsApproval: ({ euros }) => Number(euros) > 10,
        async execute({ euros }, { key }) {
          await log.paid?.(id, key)
          return `${String(euros)} euros`
        },
      })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
      return (await clerk.run('It came broken.', { tools: [look, pay], run })).text
    },
  })

/** A conversation that pays each message, and ends at `end` with what it has paid and what its clerk has said last. */
export const payingTalk = (log: ClerkLog = {}): DefinedChat =>
  defineChat({
    name: 'talk',
    version: '1',
    state: { paid: 0, said: '' },
    async onMessage({ paid, said }, message, run, { id, end, usage }) {
      if (message === 'end') return end({ paid, said, cost: usage().totalCost })
      const llmConfig = functionModel(({ messages }) => {
        const last = messages.at(-1)!
        const reply = last.role === 'tool' ? `${messages.length} read` : call('pay', { euros: last.content })
        return { ...(typeof reply === 'string' ? { content: reply } : reply), usage: [1, 1], cost: 0.5 }
      })
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        parameters: { type: 'object' },
        async execute(_, { key }) {
          await log.paid?.(id, key)
          return 'paid'
        },
      })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
      const { text } = await clerk.run(String(message), { tools: pay, conversation: 'shared', run })
      clerk.clearHistory(null, { nrMessagesToPreserve: 8 })
      return { paid: paid + Number(message), said: text }
    },
  }) as DefinedChat

const call = (name: string, args: object) => ({
  tool_calls: [{ id: name, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }],
})
