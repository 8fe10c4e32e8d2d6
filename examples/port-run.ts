import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then answers.
const call = { id: 'c1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
const config = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Rain.' : { tool_calls: [call] }))

// #region agent
import { ag2Run, ConversableAgent, tool } from '@x/agent'

const assistant = new ConversableAgent({
  name: 'assistant',
  systemMessage: 'Be brief.',
  llmConfig: config,
})
const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => `Rain in ${String(city)}.`,
})
// #endregion

// #region reference
const chat = await assistant.run('Weather in Oslo?', {
  ...ag2Run,
  tools: weather,
  maxTurns: 3,
  userInput: false,
})
console.log(chat.summary)
// #endregion

// #region run
const { text } = await assistant.run('Weather in Oslo?', { tools: weather })
console.log(text)
// #endregion
