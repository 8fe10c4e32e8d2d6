/** Types of chats: functions of messages and summaries may name the classes of their agents. */
import { AssistantAgent, UserProxyAgent } from '../index.ts'

const writer = new AssistantAgent({ name: 'writer' })
const user = new UserProxyAgent({ name: 'user' })

await user.initiateChat(writer, {
  message: (sender: UserProxyAgent, recipient: AssistantAgent) => `${sender.humanInputMode} ${recipient.systemMessage}`,
  summaryMethod: (sender: UserProxyAgent, recipient: AssistantAgent) => recipient.lastMessage(sender)?.name ?? '',
})
user.registerNestedChats(
  [
    {
      recipient: writer,
      message: (own: UserProxyAgent, { sender }) => own.chatMessagesForSummary(sender!).at(-1) ?? null,
      summaryMethod: (_sender, recipient, _args, { messages }) => `${recipient.name} ${messages.length}`,
    },
  ],
  writer,
)

await user.initiateChat(writer, {
  // @ts-expect-error -- a function that takes something else than agents
  message: (sender: string) => sender,
})
