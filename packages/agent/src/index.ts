export { ASSISTANT_DESCRIPTION, ASSISTANT_SYSTEM_MESSAGE, AssistantAgent } from './assistant-agent.ts'
export type { AgentState, SavedSettings } from './resume/agent-state.ts'
export type { SavedConversation } from './resume/saved-conversation.ts'
export { ChatJournal, type ChatJournalOptions, type ChatState } from './resume/chat-journal.ts'
export {
  checkTerminationAndHumanReply,
  generateCodeExecutionReply,
  generateFunctionCallReply,
  generateOaiReply,
  generateToolCallsReply,
} from './reply/built-in.ts'
export { consoleIo } from './console/console-io.ts'
export { ConversableAgent, type RegisterToolOptions } from './conversable-agent.ts'
export { AgentDoors, type AskedReply, type GenerateReplyOptions } from './doors.ts'
export { initiateChats, initiateChatsSync } from './chat/initiate-chats.ts'
export {
  DEFAULT_CONFIG,
  DEFAULT_SUMMARY_METHOD,
  DEFAULT_SUMMARY_PROMPT,
  DEFAULT_SYSTEM_MESSAGE,
  MAX_CONSECUTIVE_AUTO_REPLY,
} from './limits.ts'
export type { RegisterNestedChatsOptions } from './chat/nested-registration.ts'
export type { NestedCarryover } from './chat/nested-carryover.steps.ts'
export type { NestedChat, NestedInput, NestedReply } from './chat/nested.steps.ts'
export type { ConversableAgentOptions, StateUpdate } from './options.ts'
export type { OutputOf, Parameters, StandardSchema } from './tool/parameters.ts'
export type { ResultOptions, RunChatOptions, RunResult } from './chat/run.steps.ts'
export type { MappedFunction } from './state/state.ts'
export type { StepsReply } from './reply/steps-reply.ts'
export { printable } from './console/printable.ts'
export { tool, type ToolDefinition } from './tool/tool.ts'
export type { ExecuteFunctionOptions, FunctionOutcome } from './tool/tool-calls.steps.ts'
export { UpdateSystemMessage, type SystemMessageUpdater } from './reply/update-system-message.ts'
export { USER_PROXY_DESCRIPTIONS, UserProxyAgent } from './user-proxy-agent.ts'
