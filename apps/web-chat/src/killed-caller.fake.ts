import { createHost, sqlite } from '@x/host'
import { ModelWrapper } from '@x/model'
import { openai } from '@x/provider-openai'

/** Asks a model within a shared budget: `<file> <url>`. */
const [, , file = '', baseUrl = ''] = process.argv
const host = createHost({ chats: [], at: sqlite(file) })
const model = new ModelWrapper({
  providers: [openai],
  configList: [{ model: 'm', apiKey: 'k', baseUrl, price: [1, 1], max_tokens: 1000, maxRetries: 0 }],
  cacheSeed: null,
  budget: host.budget('team', { cost: 2.5, strict: true, minTokens: 1000, lease: 1 }),
})
await model.create({ messages: [{ role: 'user', content: 'Hi' }] })
