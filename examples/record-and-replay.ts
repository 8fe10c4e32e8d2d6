import { rmSync, writeFileSync } from 'node:fs'
import { AssistantAgent, type RunResult, tool } from '@x/agent'
import { expectReplay, forkRun, openRecords, type RepeatedProgram, replay } from '@x/records'
import { functionModel } from '@x/testing'

rmSync('runs.db', { force: true })

// A function stands for a model: it calls the tool, then answers, with a cake if the prompt speaks of one.
const cakes = ['lemon cake', 'apple cake']
const call = { id: 'c1', function: { name: 'price', arguments: '{"item":"tea"}' } }
const model = functionModel(({ messages: [first, ...rest] }) => {
  if (rest.at(-1)?.role !== 'tool') return { tool_calls: [call] }
  const answer = 'Tea costs 3 euros.'
  return JSON.stringify(first).includes('cake') ? `${answer} Try our ${String(cakes.shift())}!` : answer
})

// #region record
const price = tool({
  name: 'price',
  description: 'The price of an item in euros.',
  parameters: { type: 'object', properties: { item: { type: 'string' } } },
  execute: () => '3',
})

/** The program: it passes the options on to the run that it starts. */
function sell(options: object, systemMessage = 'You sell tea.'): Promise<RunResult> {
  const clerk = new AssistantAgent({ name: 'clerk', systemMessage, llmConfig: model })
  return clerk.run('How much is tea?', { tools: price, ...options })
}

const records = openRecords('runs.db')
await sell({ tracer: records.tagged({ app: 'shop' }) })
// #endregion

// #region read
const [info] = await records.list({ tags: { app: 'shop' } })
const run = (await records.read(info!.runId))!
for (const { place, kind, name } of run.calls) console.log(place, kind, name ?? '')
// #endregion

// #region replay
writeFileSync('tea.run', await records.export(run.info.runId))

const program: RepeatedProgram = (options) => sell(options)
await expectReplay('tea.run', program) // as in a test: no model is asked, and nothing differs

const changed = await replay(run, (options) => sell(options, 'You refuse to sell tea.'))
if (changed.outcome === 'differs') console.log(changed.text)
// #endregion

// #region fork
const answers = await forkRun(run, '1.3', (options) => sell(options, 'You sell tea, and always recommend a cake.'), {
  records,
  samples: 2,
})
for (const { value } of answers) console.log(value?.text)
// #endregion

records.close()
for (const file of ['runs.db', 'tea.run']) rmSync(file)
