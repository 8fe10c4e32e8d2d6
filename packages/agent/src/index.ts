export { ASSISTANT_DESCRIPTION, ASSISTANT_SYSTEM_MESSAGE, AssistantAgent } from './assistant-agent.ts'
export type { AgentState, SavedSettings } from './agent-state.ts'
export type { SavedConversation } from './saved-conversation.ts'
export { ChatJournal, type ChatJournalOptions, type ChatState } from './chat-journal.ts'
export {
  checkTerminationAndHumanReply,
  generateCodeExecutionReply,
  generateFunctionCallReply,
  generateOaiReply,
  generateToolCallsReply,
} from './built-in.ts'
export { consoleIo } from './console-io.ts'
export { ConversableAgent, type RegisterToolOptions } from './conversable-agent.ts'
export { AgentDoors, type AskedReply, type GenerateReplyOptions } from './doors.ts'
export { initiateChats, initiateChatsSync } from './initiate-chats.ts'
export {
  DEFAULT_CONFIG,
  DEFAULT_SUMMARY_METHOD,
  DEFAULT_SUMMARY_PROMPT,
  DEFAULT_SYSTEM_MESSAGE,
  MAX_CONSECUTIVE_AUTO_REPLY,
} from './limits.ts'
export type { RegisterNestedChatsOptions } from './nested-registration.ts'
export type { NestedCarryover } from './nested-carryover.steps.ts'
export type { NestedChat, NestedInput, NestedReply } from './nested.steps.ts'
export type { ConversableAgentOptions, StateUpdate } from './options.ts'
export type { OutputOf, Parameters, StandardSchema } from './parameters.ts'
export type { ResultOptions, RunChatOptions, RunResult } from './run.steps.ts'
export type { MappedFunction } from './state.ts'
export type { StepsReply } from './steps-reply.ts'
export { printable } from './printable.ts'
export { tool, type ToolDefinition } from './tool.ts'
export type { ExecuteFunctionOptions, FunctionOutcome } from './tool-calls.steps.ts'
export { UpdateSystemMessage, type SystemMessageUpdater } from './update-system-message.ts'
export { USER_PROXY_DESCRIPTIONS, UserProxyAgent } from './user-proxy-agent.ts'
