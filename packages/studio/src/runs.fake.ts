import { AssistantAgent, createAgent, tool } from '@x/agent'
import { type KeptRun, openRecords, type Records } from '@x/records'
import { functionModel } from '@x/testing'
import type { StudioOptions } from './studio.ts'

/** A program of a shop, as `x studio --program` takes it. */
export const sell: NonNullable<StudioOptions['program']> = async (options, run) => {
  const call = { id: 'c1', function: { name: 'price', arguments: '{"item":"tea"}' } }
  const model = functionModel(
    ({ messages }) => {
      const last = messages.at(-1)
      return last?.role === 'tool' ? `Tea costs ${last.content as string} euros.` : { tool_calls: [call] }
    },
    { usage: [7, 3], cost: 0.5 },
  )
  const price = tool({
    name: 'price',
    description: 'The price of an item.',
    parameters: { type: 'object', properties: { item: { type: 'string' } } },
    execute: () => '3',
  })
  const clerk = new AssistantAgent({ name: 'clerk', systemMessage: 'You sell tea.', llmConfig: model, silent: true })
  return await clerk.run((run as KeptRun | undefined)?.message ?? 'How much is tea?', { tools: price, ...options })
}

/** An agent that repeats what it is told, and how many messages there were. */
export const parrot = createAgent({
  name: 'parrot',
  model: functionModel(({ messages }) => `${messages.length}: ${messages.at(-1)!.content as string}`),
})

/** An agent whose tool waits for a decision. */
export const asker = createAgent({
  name: 'asker',
  model: functionModel(() => ({ tool_calls: [{ id: 'c1', function: { name: 'pay', arguments: '{}' } }] })),
  tools: tool({ name: 'pay', description: 'Pays.', parameters: {}, needsApproval: true, execute: () => 'paid' }),
})

/** Opens records in a file of their own, with one run of the shop. */
export async function shopRecords(folder: string): Promise<{ readonly records: Records; readonly runId: string }> {
  const records = openRecords(`${folder}/runs.jsonl`)
  await sell({ tracer: records.tagged({ app: 'shop' }) } as never, undefined as never)
  const [info] = await records.list()
  return { records, runId: info!.runId }
}
