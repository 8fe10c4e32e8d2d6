// OpenAI's Agents SDK on the chat completions model.
import { Agent, OpenAIChatCompletionsModel, Usage, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { OPENER, SYSTEM_A, SYSTEM_B, TOOL, makeReply, memo } from '../../src/contestant.ts'

export const info = {
  title: '@openai/agents',
  packages: ['@openai/agents', 'openai', 'zod'],
  imports: ['@openai/agents', 'openai'],
  hello: `import { Agent, OpenAIChatCompletionsModel, run } from '@openai/agents';
import OpenAI from 'openai';
const agent = new Agent({ name: 'a', instructions: 'b', model: new OpenAIChatCompletionsModel(new OpenAI(), 'mock') });
console.log((await run(agent, 'hello')).finalOutput);`,
  kinds: { call: 'agent', fallback: 'none', cache: 'none', tools: 'built-in', chat: 'hand' },
  notes: {
    call: 'one run of an agent without tools; tracing disabled',
    chat: 'alternate runs of two agents, each with its own result.history',
    fake: 'an object of its Model interface',
  },
}

export async function create({ baseURL, apiKey }) {
  setTracingDisabled(true)
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const model = memo((name) => new OpenAIChatCompletionsModel(client, name))
  const offline = {
    async getResponse() {
      return {
        usage: new Usage({ requests: 1, input_tokens: 100, output_tokens: 40, total_tokens: 140 }),
        output: [
          {
            id: 'fake',
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: makeReply(), providerData: {} }],
          },
        ],
        responseId: 'fake',
      }
    },
    getStreamedResponse() {
      throw new Error('not here')
    },
  }
  const agentOf = memo((key) => {
    const [name, instructions] = JSON.parse(key)
    return new Agent({ name: 'assistant', instructions, model: model(name) })
  })
  const agent = (q) => agentOf(JSON.stringify([q.model, q.system]))
  const call = async (q) => (await run(agent(q), q.user)).finalOutput

  async function stream(q, onText) {
    let text = ''
    const r = await run(agent(q), q.user, { stream: true })
    for await (const delta of r.toTextStream()) {
      text += delta
      onText(delta)
    }
    await r.completed
    return text
  }

  function toolLoop({ model: name, maxTurns, onCall }) {
    const weather = tool({
      name: TOOL.name,
      description: TOOL.description,
      parameters: TOOL.schema(z),
      execute: async (args) => (onCall(), TOOL.run(args)),
    })
    const made = memo(
      (instructions) => new Agent({ name: 'assistant', instructions, model: model(name), tools: [weather] }),
    )
    return async (q) => (await run(made(q.system), q.user, { maxTurns })).finalOutput
  }

  const chat =
    (of) =>
    ({ model: name }) => {
      const agents = [
        new Agent({ name: 'ann', instructions: SYSTEM_A, model: of(name) }),
        new Agent({ name: 'bob', instructions: SYSTEM_B, model: of(name) }),
      ]
      const opener = {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: OPENER }],
      }
      const self = {
        agents,
        histories: [[{ role: 'user', content: OPENER }], [opener]],
        turns: 0,
        async run(turns) {
          let text = ''
          for (let i = 0; i < turns; i++) {
            const me = self.turns % 2
            const r = await run(agents[me], self.histories[me])
            text = r.finalOutput
            self.histories[me] = r.history
            self.histories[1 - me].push({ role: 'user', content: text })
            self.turns++
          }
          return { turns: self.turns, messages: self.histories[0].length, last: text }
        },
      }
      return self
    }
  const fake = chat(() => offline)

  return { call, stream, toolLoop, chats: { http: chat(model), fake }, idle: { chat: fake } }
}
