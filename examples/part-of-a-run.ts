import { AssistantAgent, tool } from '@x/agent'
import { functionModel, scriptedModel } from '@x/testing'

// Scripts stand for models: one calls the tool, then answers; the other is the expert.
const call = { id: 'c1', function: { name: 'ask_expert', arguments: '{"question":"How cold is Oslo?"}' } }
const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool' ? 'Take a coat.' : { tool_calls: [call] },
)
const expertModel = scriptedModel(['Six degrees.'])

// #region tool
const askExpert = tool({
  name: 'ask_expert',
  description: 'Asks an expert.',
  parameters: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
  async execute({ question }, { run }) {
    const expert = new AssistantAgent({ name: 'expert', llmConfig: expertModel })
    const { text } = await expert.run(String(question), { run })
    return text
  },
})
// #endregion

const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model })

// #region stream
const chat = assistant.runStream('What do I wear in Oslo?', { tools: askExpert })
for await (const event of chat) {
  if (event.type === 'textDelta') process.stdout.write(event.text)
  if (event.type === 'toolEnd') console.log(`${event.name}: ${event.result}`)
  if (event.type === 'chatEnd') console.log(`\nchat ${event.chatId} of ${event.agentPath?.join(' > ')} has ended`)
}
const { text, terminationReason } = await chat.result
// #endregion
console.log(`${terminationReason}: ${text}`)
