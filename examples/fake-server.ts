import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'

await using server = await startFakeOpenAI({
  models: {
    // What may go wrong with a provider, by name; a queue, a single reply or a function of the request.
    'model-a': [{ failure: '503' }, { failure: 'reset-midway' }],
    'model-b': ({ messages }) => `I read ${messages.length} message.`,
  },
})
const model = llmConfig({
  providers: [openai],
  configList: [{ model: 'model-a' }, { model: 'model-b' }],
  baseUrl: server.url,
  apiKey: 'sk-of-the-example',
  price: [0.001, 0.002],
  cacheSeed: null,
}).createModel()

const messages = [{ role: 'user' as const, content: 'Hello?' }]
for (let turn = 0; turn < 2; turn++) {
  const { choices, attempts } = await model.create({ messages })
  console.log(choices[0]?.message.content, 'after', attempts?.[0]?.kind)
}
for (const { headers, body, status, state } of server.requests) {
  console.log((body as { model: string }).model, headers['authorization'], status, state)
}
