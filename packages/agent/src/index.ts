export { AssistantAgent } from './agent/assistant-agent.ts'
export type { AgentState, ChatState } from './durability/saved-types.ts'
export { decisionEntry, pendingIn } from './durability/approvals.ts'
export { fork } from './durability/fork.ts'
export { ChatJournal, type ChatJournalOptions } from './durability/chat-journal.ts'
export {
  checkTerminationAndHumanReply,
  generateCodeExecutionReply,
  generateFunctionCallReply,
  generateOaiReply,
  generateToolCallsReply,
} from './reply/built-in.ts'
export { consoleIo } from './console/console-io.ts'
export { ConversableAgent } from './agent/conversable-agent.ts'
export type { GenerateReplyOptions } from './options/reply-options.ts'
export { initiateChats, initiateChatsSync } from './chat/initiate-chats.ts'
export {
  DEFAULT_CONFIG,
  DEFAULT_SUMMARY_METHOD,
  DEFAULT_SUMMARY_PROMPT,
  MAX_CONSECUTIVE_AUTO_REPLY,
} from './memory/limits.ts'
export type { NestedChat } from './options/nested-chat.ts'
export type { ConversableAgentOptions } from './agent/options.ts'
export type { OutputOf, Parameters, StandardSchema } from './schema/parameters.ts'
export type { RunChatOptions, RunResult } from './options/chat-options.ts'
export { printable } from './console/printable.ts'
export { tool, type ToolDefinition } from './tool/tool.ts'
export { UpdateSystemMessage } from './agent/update-system-message.ts'
export { UserProxyAgent } from './agent/user-proxy-agent.ts'
export { isXError, XError } from '@x/kernel'
export { toolContent } from '@x/kernel/tool-content'
