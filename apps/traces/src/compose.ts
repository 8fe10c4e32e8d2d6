import { AssistantAgent, ConversableAgent, initiateChats, initiateChatsSync, tool, UserProxyAgent } from '@x/agent'
import { internalsOf } from '@x/agent/steps'
import { codeReader } from '@x/exec'
import type { Agent } from '@x/interfaces'
import { llmConfig, ModelWrapper } from '@x/model'
import { ReasoningAgent, ThinkNode } from '@x/reasoning'
import type { World } from './replay/world.ts'

/** The world of the traces, made of the packages of this repository. */
export function compose(): World {
  return {
    agents: { Agent: ConversableAgent, AssistantAgent, ConversableAgent, ReasoningAgent, UserProxyAgent },
    tool: (definition) => tool(definition),
    llmConfig,
    ModelWrapper,
    codeReaders: {
      executor: codeReader({ reading: 'reference' }),
      runner: codeReader({ reading: 'reference-legacy' }),
    },
    functions: { initiateChats, initiateChatsSync },
    conversations: (agent: Agent) => internalsOf(agent).conversations.values(),
    reasoning: {
      node: ([question = '', ...steps], { value, ratingDetails }) => {
        let node = new ThinkNode({ content: question })
        for (const content of steps) node = new ThinkNode({ content, parent: node })
        node.value = value ?? node.value
        node.ratingDetails = ratingDetails ?? node.ratingDetails
        return node
      },
      root: (agent) => (agent as ReasoningAgent).root?.toDict() ?? null,
    },
  }
}
