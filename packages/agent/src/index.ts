export { ASSISTANT_DESCRIPTION, ASSISTANT_SYSTEM_MESSAGE, AssistantAgent } from './agent/assistant-agent.ts'
export type { AgentState, SavedSettings } from './durability/agent-state.ts'
export type { SavedConversation } from './durability/saved-conversation.ts'
export { decisionEntry, pendingIn } from './durability/approvals.ts'
export { fork } from './durability/fork.ts'
export { ChatJournal, type ChatJournalOptions, type ChatState } from './durability/chat-journal.ts'
export {
  checkTerminationAndHumanReply,
  generateCodeExecutionReply,
  generateFunctionCallReply,
  generateOaiReply,
  generateToolCallsReply,
} from './reply/built-in.ts'
export { consoleIo } from './console/console-io.ts'
export { ConversableAgent, type RegisterToolOptions } from './agent/conversable-agent.ts'
export { AgentOperations, type AskedReply, type GenerateReplyOptions } from './agent/operations.ts'
export { initiateChats, initiateChatsSync } from './chat/initiate-chats.ts'
export {
  DEFAULT_CONFIG,
  DEFAULT_SUMMARY_METHOD,
  DEFAULT_SUMMARY_PROMPT,
  DEFAULT_SYSTEM_MESSAGE,
  MAX_CONSECUTIVE_AUTO_REPLY,
} from './memory/limits.ts'
export type { ChatMeans } from './chat/with-scope.steps.ts'
export type { RegisterNestedChatsOptions } from './chat/nested-registration.ts'
export type { NestedCarryover } from './chat/nested-carryover.steps.ts'
export type { NestedChat, NestedInput, NestedReply } from './chat/nested.steps.ts'
export type { ConversableAgentOptions, StateUpdate } from './agent/options.ts'
export type { OutputOf, Parameters, StandardSchema } from './schema/parameters.ts'
export type { ResultOptions, RunChatOptions, RunResult } from './chat/run-chat.steps.ts'
export type { MappedFunction } from './memory/state.ts'
export type { StepsReply } from './memory/reply-slot.ts'
export { printable } from './console/printable.ts'
export { tool, type ToolDefinition } from './tool/tool.ts'
export type { ExecuteFunctionOptions, FunctionOutcome } from './tool/tool-calls.steps.ts'
export { UpdateSystemMessage, type SystemMessageUpdater } from './agent/update-system-message.ts'
export { USER_PROXY_DESCRIPTIONS, UserProxyAgent } from './agent/user-proxy-agent.ts'
