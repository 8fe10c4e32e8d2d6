import type { ChatMessage } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { startWireServer } from '@x/testing/wire'

// Two servers on this machine stand for the providers; the first is overloaded from its second answer on.
const calls = [{ name: 'weather', args: { city: 'Rome' } }]
await using claude = await startWireServer(anthropicFormat, { steps: [{ reply: { calls } }, { status: 529 }] })
await using gemini = await startWireServer(googleFormat, { steps: [{ reply: { text: 'Simulated: sunny.' } }] })

const model = llmConfig({
  providers: [anthropic, google],
  configList: [
    { apiType: 'anthropic', model: 'claude-opus-4-6', apiKey: 'key-of-the-example', baseUrl: claude.url },
    { apiType: 'google', model: 'gemini-3-pro-preview', apiKey: 'key-of-the-example', baseUrl: gemini.url },
  ],
  tools: [{ type: 'function', function: { name: 'weather', description: 'Tells the weather of a city.' } }],
  cacheSeed: null,
}).createModel()

const messages: ChatMessage[] = [{ role: 'user', content: 'What is the weather in Rome?' }]
const asked = await model.create({ messages })
const { message } = asked.choices[0]!
const [call] = message.tool_calls!
messages.push(message, { role: 'tool', tool_call_id: call!.id, content: 'Sunny.' })

// The call was one provider's, its result goes to the other: ids, names and forms are made to fit each time.
const answered = await model.create({ messages })
console.log(answered.choices[0]!.message.content, `by config ${answered.configId}`)
