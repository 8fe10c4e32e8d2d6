import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import { scriptedModel } from '@x/testing'

const getWeather = tool({
  name: 'get_weather',
  description: 'The weather of a city today.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => ({ city, sky: 'light rain', celsius: 6 }),
})

// A model with a script stands for a real one: it calls the tool, then answers.
const model = scriptedModel([
  { tool_calls: [{ id: 'c1', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }] },
  'Take a raincoat. TERMINATE',
])
const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model })
const user = new UserProxyAgent({
  name: 'user',
  humanInputMode: 'NEVER',
  isTerminationMsg: ({ content }) => typeof content === 'string' && content.endsWith('TERMINATE'),
})
assistant.registerForLlm(getWeather)
user.registerForExecution(getWeather)

const chat = user.initiateChatStream(assistant, { message: 'What should I wear in Oslo?' })
for await (const event of chat) {
  if (event.type === 'toolStart') console.log(`${event.agent} calls ${event.name}`)
}
const { terminationReason, summary } = await chat.result
console.log(`${terminationReason}: ${JSON.stringify(summary)}`)
