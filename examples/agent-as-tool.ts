import { createAgent } from '@x/kit'
import { functionModel, scriptedModel } from '@x/testing'

// Scripts stand for models: one asks the expert and answers; the other is the expert.
const call = { id: 'c1', function: { name: 'weather_expert', arguments: '{"question":"How cold is Oslo?"}' } }
const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool' ? 'Take a coat.' : { tool_calls: [call] },
)
const expertModel = scriptedModel(['Six degrees.'])

// #region program
const expert = createAgent({ name: 'weather_expert', model: expertModel, description: 'Knows the weather everywhere.' })
const assistant = createAgent({ name: 'assistant', model, tools: expert.asTool() })

const { text, toolCalls, cost } = await assistant.run('What do I wear in Oslo?')
// #endregion
console.log(text, toolCalls, cost)
