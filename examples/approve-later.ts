import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { AssistantAgent, ChatJournal, tool, XError } from '@x/agent'
import { functionModel } from '@x/testing'

const file = 'chat.jsonl'
rmSync(file, { force: true })

// A function stands for a model: it calls the tool, then answers.
const call = { id: 'c1', function: { name: 'refund', arguments: '{"order":"17","euros":25}' } }
const model = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : { tool_calls: [call] }))

// #region program
/** The chat as its file has it; every answer is written before the chat goes on. */
function openJournal(): ChatJournal {
  const lines = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const onEntry = (entry: object): void => appendFileSync(file, `\n${JSON.stringify(entry)}`)
  return ChatJournal.parse(lines, { onEntry })
}

const refund = tool({
  name: 'refund',
  description: 'Gives money back.',
  parameters: { type: 'object', properties: { order: { type: 'string' }, euros: { type: 'number' } } },
  needsApproval: ({ euros }) => Number(euros) > 10,
  execute: ({ order, euros }) => `${String(euros)} euros of order ${String(order)} were given back`,
})

/** What every process does: it starts the chat, or goes on with it. */
async function chat(journal: ChatJournal): Promise<void> {
  const clerk = new AssistantAgent({ name: 'clerk', llmConfig: model })
  const { terminationReason, text } = await clerk.run('Order 17 came broken.', { tools: refund, journal })
  console.log(`${terminationReason}: ${text}`)
}

await chat(openJournal()) // suspended: the call is not made

// Later, in another process: somebody decides, and the chat goes on.
const journal = openJournal()
for (const { id, agent, action } of journal.pending) {
  console.log(`${agent} wants to`, action)
  await journal.decide(id, { allow: true })
}
await chat(journal)
// #endregion

console.log('the entries of the journal:')
for (const { seq, place, kind, name } of openJournal().saveState().entries)
  console.log(seq ?? '-', place, kind, name ?? '')

console.log('with a changed character:')
try {
  ChatJournal.parse(readFileSync(file, 'utf8').replace('"euros":25', '"euros":95'))
} catch (error) {
  if (!(error instanceof XError)) throw error
  console.log(`${error.code}: ${error.message}`)
}
