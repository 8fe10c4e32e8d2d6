import { AssistantAgent, tool, toolContent } from '@x/agent'
import { functionModel } from '@x/testing'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

// #region tool
const screenshot = tool({
  name: 'screenshot',
  description: 'Shows the page.',
  execute: () =>
    toolContent([
      { type: 'text', text: 'The page at 10:15.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ]),
})
// #endregion

// A function stands for a model that sees: it looks, and says what it was shown.
const llmConfig = functionModel(({ messages }) => {
  const { role, content } = messages.at(-1)!
  if (role !== 'tool') return { tool_calls: [{ id: 'c1', function: { name: 'screenshot', arguments: '{}' } }] }
  const kinds = Array.isArray(content) ? content.map(({ type }) => type) : ['text']
  return `I was shown: ${kinds.join(', ')}.`
})

const assistant = new AssistantAgent({ name: 'assistant', llmConfig }).use(screenshot)
const { text, toolCalls } = await assistant.run('What does the page look like?')
console.log(text)
console.log(toolCalls[0]?.result)
