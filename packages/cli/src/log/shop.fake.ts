import { AssistantAgent, tool } from '@x/agent'
import { functionModel } from '@x/testing'

/** A program of a shop: the default export runs it, as `x log test` does. Text of its model is hostile to terminals. */
export default async function sell(
  options: object,
  _run?: unknown,
  { system = 'You sell tea.', price = '3' }: { readonly system?: string; readonly price?: string } = {},
): Promise<void> {
  const call = { id: 'c1', function: { name: 'price', arguments: '{"item":"tea"}' } }
  const model = functionModel(
    ({ messages }) => {
      const last = messages.at(-1)
      return last?.role === 'tool' ? `Tea costs ${last.content as string} euros.\u001B[2J` : { tool_calls: [call] }
    },
    { usage: [7, 3], cost: 0.5 },
  )
  const guide = functionModel(() => price, { usage: [2, 1], cost: 0 })
  const lookUp = tool({
    name: 'price',
    description: 'The price of an item.',
    parameters: { type: 'object', properties: { item: { type: 'string' } } },
    execute: async (_, { run }) => {
      const inner = new AssistantAgent({ name: 'guide', llmConfig: guide, silent: true })
      return (await inner.run('The price?', { run })).text
    },
  })
  const clerk = new AssistantAgent({ name: 'clerk', systemMessage: system, llmConfig: model, silent: true })
  await clerk.run('How much is tea?', { tools: lookUp, ...options })
}
