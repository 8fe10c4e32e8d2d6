import { GroupChat, GroupChatManager } from '@x/group'
import type { LlmConfig } from '@x/interfaces'
import { AssistantAgent, UserProxyAgent } from '@x/kit'

/** Lets a writer and a critic speak in turn until the critic is content, and returns what they said. */
export async function discuss(task: string, model: LlmConfig) {
  const writer = new AssistantAgent({
    name: 'writer',
    systemMessage: 'You write what you are asked for, in one line, and improve it.',
    llmConfig: model,
  })
  const critic = new AssistantAgent({
    name: 'critic',
    systemMessage: 'You say in one line what to improve; when nothing is left to improve, you say TERMINATE.',
    llmConfig: model,
  })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER' })
  const groupchat = new GroupChat({ agents: [writer, critic], maxRound: 9, speakerSelectionMethod: 'round_robin' })
  await user.initiateChat(new GroupChatManager({ groupchat }), { message: task, silent: true })
  return groupchat.messages.map(({ name, content }) => `${name}: ${content}`)
}
