/**
 * A model that runs in the program itself, as a client class. After `agentchat_custom_model.ipynb` of AG2, where it is one of
 * Hugging Face.
 */
import { equal } from 'node:assert/strict'
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import type { ConfigEntry, ModelAnswer, ModelClient, ModelParams, Usage } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { llmConfig } from '@x/model'

/** Repeats what it was asked, in capital letters. */
class ShoutingClient implements ModelClient {
  readonly #model: string
  readonly #end: string

  constructor(config: ConfigEntry) {
    this.#model = String(config.model)
    // A key of the config that only this class knows.
    this.#end = (config['shout_end'] as string | undefined) ?? '!'
  }

  create({ messages }: ModelParams): ModelAnswer {
    const content = `${contentText(messages?.at(-1)?.content).toUpperCase()}${this.#end}`
    return {
      id: 'shout-1',
      model: this.#model,
      created: 0,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    }
  }

  messageRetrieval({ choices }: ModelAnswer): string[] {
    return choices.map(({ message }) => contentText(message.content))
  }

  getUsage({ model }: ModelAnswer): Usage {
    return { model, promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 }
  }

  cost(): number {
    return 0
  }
}

const assistant = new AssistantAgent({
  name: 'assistant',
  llmConfig: llmConfig({ configList: [{ model: 'shouter', modelClientCls: 'ShoutingClient', shout_end: '!!' }] }),
})
assistant.registerModelClient(ShoutingClient)
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })

const { summary } = await user.initiateChat(assistant, { message: 'hello', maxTurns: 1, silent: true })
console.log(summary)
equal(summary, 'HELLO!!')
