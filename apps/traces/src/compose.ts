import type { Agent } from '@x/interfaces'
import { llmConfig, ModelWrapper } from '@x/model'
import type { World } from '@x/testing/traces'

/** The world of the traces, made of the packages of this repository. */
export function compose(): World {
  return {
    agents: {},
    tool: () => {
      throw new Error('no tool')
    },
    llmConfig,
    ModelWrapper,
    functions: {},
    conversations: (_agent: Agent) => [],
  }
}
