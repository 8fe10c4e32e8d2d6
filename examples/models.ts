import { createBudget, createMemoryCache, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'

// Two endpoints on this machine stand for two accounts; the first has used up its quota.
await using server = await startFakeOpenAI({ models: { 'gpt-5': { failure: 'quota' } }, replies: 'Simulated: Paris.' })
const endpoint = { baseUrl: server.url, apiKey: 'sk-of-the-example' }

const llm = llmConfig({
  providers: [openai],
  configList: [
    { model: 'gpt-5', tags: ['large'], ...endpoint },
    { model: 'gpt-5-mini', tags: ['small'], ...endpoint },
  ],
  cache: createMemoryCache(),
  budget: createBudget({ cost: 0.5, name: 'the budget of the example' }),
})
const model = llm.createModel()
const messages = [{ role: 'user' as const, content: 'What is the capital of France?' }]

const response = await model.create({ messages })
console.log(response.choices[0]?.message.content, `by config ${response.configId}`, response.attempts)

for await (const event of model.createStream({ messages })) {
  if (event.type === 'textDelta') process.stdout.write(`${event.text}\n`)
}
model.printUsageSummary()
