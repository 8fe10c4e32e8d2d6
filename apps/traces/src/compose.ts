import {
  AssistantAgent,
  ConversableAgent,
  initiateChats,
  initiateChatsSync,
  tool,
  UpdateSystemMessage,
  UserProxyAgent,
} from '@x/agent'
import { internalsOf } from '@x/agent/steps'
import { codeReader } from '@x/exec'
import type { Agent } from '@x/interfaces'
import * as group from '@x/group'
import { GroupChat, GroupChatManager, type GroupChatOptions } from '@x/group'
import { llmConfig, ModelWrapper } from '@x/model'
import { ReasoningAgent, ThinkNode } from '@x/reasoning'
import type { HandoffWorld } from './handoffs/world.ts'
import type { World } from './replay/world.ts'

/** The world of the traces, made of the packages of this repository. */
export function compose(): World & { readonly handoffs: HandoffWorld } {
  return {
    agents: {
      Agent: ConversableAgent,
      AssistantAgent,
      ConversableAgent,
      GroupChatManager,
      ReasoningAgent,
      UserProxyAgent,
    },
    tool: (definition) => tool(definition),
    llmConfig,
    ModelWrapper,
    codeReaders: {
      executor: codeReader({ reading: 'reference' }),
      runner: codeReader({ reading: 'reference-legacy' }),
    },
    functions: { initiateChats, initiateChatsSync },
    conversations: (agent: Agent) => internalsOf(agent).conversations.values(),
    groups: {
      create: (options) => new GroupChat(options as unknown as GroupChatOptions),
      wordings: wordingsOf(new GroupChat({ agents: [] })),
    },
    handoffs: handoffWorld(),
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

/** The texts of a group by the names of the reference, with placeholders. */
const wordingsOf = (group: GroupChat): Record<string, string> => ({
  select_speaker_message_template: group.selectSpeakerMessageTemplate,
  select_speaker_prompt_template: group.selectSpeakerPromptTemplate ?? '',
  select_speaker_auto_multiple_template: group.selectSpeakerAutoMultipleTemplate,
  select_speaker_auto_none_template: group.selectSpeakerAutoNoneTemplate,
  introductions: `${group.introductionsMsg()}{roles}`,
})

/** The parts of groups with handoffs. */
const handoffWorld = (): HandoffWorld => ({
  pattern(kind, options) {
    const makers: Readonly<Record<string, (options: never) => object>> = {
      default: group.defaultPattern,
      auto: group.autoPattern,
      round_robin: group.roundRobinPattern,
      random: group.randomPattern,
      manual: group.manualPattern,
    }
    return makers[kind]!(options as never)
  },
  operations: {
    initiateGroupChat: group.initiateGroupChat,
    initiateGroupChatSync: group.initiateGroupChatSync,
    initiateGroupChatStream: group.initiateGroupChatStream,
  },
  targets: {
    stay: () => group.stay,
    terminate: () => group.terminate,
    revert_to_user: () => group.revertToUser,
    ask_user: () => group.askUser,
    group_manager: (options) => group.groupManager(options),
    random_agent: ({ agents }) => group.randomAgent(agents as never),
    nested_chat: ({ chatQueue }) => group.nestedChat(chatQueue as never),
    group_chat: ({ pattern, ...options }) => group.groupChat(pattern as never, options),
    function: ({ fn, name }) => group.functionTarget(fn as never, { name: name as string }),
  },
  expression: group.expression,
  variables: (initial) => new group.ContextVariables(initial),
  replyResult: group.replyResult,
  systemMessage: (template) => new UpdateSystemMessage(template),
  conversations: (agent: Agent) => internalsOf(agent).conversations.values(),
})
