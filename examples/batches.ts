import { ConversableAgent } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { startBatchServer } from '@x/testing/wire'

// A server on this machine stands for the vendor: its batches end at the second question, and it loses one request.
const server = await startBatchServer({
  vendor: 'openai',
  polls: 1,
  outcomeOf: (_, index) => (index === 1 ? 'expired' : { text: `Summary of review ${index}.` }),
})
const config = llmConfig(openai('gpt-5-mini', { baseUrl: server.url, apiKey: 'none' }))
const reviews = ['It came broken.', 'It is too loud.', 'It works well.']
// A minute of a vendor is a moment here.
const soon = (seconds: number): number => seconds / 10_000

// #region batch
const model = config.createModel()
const requests = reviews.map((review) => ({
  messages: [{ role: 'user' as const, content: `Sum it up: ${review}` }],
}))
const results = await model.batch!(requests, {
  sleep: async (seconds) => await new Promise((resolve) => setTimeout(resolve, soon(seconds))),
})
for (const { response, error } of results) {
  console.log(response ? response.choices[0]!.message.content : `no answer: ${error.message}`)
}
// #endregion

// #region host
const summarize = defineChat({
  name: 'summarize',
  version: '1',
  async run({ run, sleep }) {
    const answers = await config.createModel().batch!(requests, { run, sleep: (seconds) => sleep(soon(seconds)) })
    return answers.filter(({ response }) => response).length
  },
})
// #endregion

const host = createHost({ chats: [summarize], at: sqlite(':memory:') })
const stop = new AbortController()
const work = host.work({ signal: stop.signal })
await host.submit(summarize, {}, { id: 'reviews' })
console.log(
  `${String(await host.result('reviews'))} of ${reviews.length} have a summary, in ${server.batches.length} batches`,
)
stop.abort()
await work
await host.close()

// A server whose answers are there at the first question.
const quick = await startBatchServer({
  vendor: 'openai',
  polls: 0,
  outcomeOf: (_, index) => ({ text: `Opinion ${index}.` }),
})

// #region agents
const patient = llmConfig(openai('gpt-5-mini', { baseUrl: quick.url, apiKey: 'none', batch: true }))
const readers = ['Ann', 'Ben'].map((name) => new ConversableAgent({ name, llmConfig: patient }))
const question = { messages: [{ role: 'user' as const, content: 'What do the reviews have in common?' }] }
const opinions = await Promise.all(readers.map(async (reader) => await reader.generateReply(question)))
// #endregion
console.log(opinions, `in ${quick.batches.length} batch`)

// #region background
const long = llmConfig(openai('gpt-5.5', { baseUrl: quick.url, apiKey: 'none', api: 'responses', background: true }))
const research = new ConversableAgent({ name: 'research', llmConfig: long })
console.log(await research.generateReply({ messages: [{ role: 'user', content: 'Compare all three reviews.' }] }))
// #endregion

await Promise.all([server.close(), quick.close()])
