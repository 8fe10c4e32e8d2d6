import { AssistantAgent, tool } from '@x/agent'
import { functionModel, scriptedModel } from '@x/testing'

// Scripts stand for models: one calls the tool, then answers; the other is the expert.
const call = { id: 'c1', function: { name: 'ask_expert', arguments: '{"question":"How cold is Oslo?"}' } }
const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool' ? 'Take a coat. TERMINATE' : { tool_calls: [call] },
)
const expertModel = scriptedModel(['Six degrees. TERMINATE'])

// #region tool
const askExpert = tool({
  name: 'ask_expert',
  description: 'Asks an expert.',
  parameters: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
  async execute({ question }, { run }) {
    const expert = new AssistantAgent({ name: 'expert', llmConfig: expertModel })
    const { summary } = await expert.run(String(question), { userInput: false, maxTurns: 1, run })
    return summary
  },
})
// #endregion

const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model })
const options = { tools: askExpert, userInput: false, maxTurns: 3 }

// #region stream
const chat = assistant.runStream('What do I wear in Oslo?', options)
for await (const event of chat) {
  if (event.type === 'textDelta') process.stdout.write(event.text)
  if (event.type === 'toolEnd') console.log(`${event.name}: ${event.result}`)
  if (event.type === 'chatEnd') console.log(`\nchat ${event.chatId} of ${event.agentPath?.join(' > ')} has ended`)
}
const { summary, terminationReason } = await chat.result
// #endregion
console.log(`${terminationReason}: ${JSON.stringify(summary)}`)
