export { AssistantAgent, ConversableAgent, UserProxyAgent } from './agent/conversable-agent.ts'
export { createAgent, type CreateAgentOptions } from './agent/create-agent.ts'
export { UpdateSystemMessage, type ConversableAgentOptions } from './agent/options.ts'
export { initiateChats, initiateChatsSync } from './chat/queue.steps.ts'
export {
  DEFAULT_CONFIG,
  DEFAULT_SUMMARY_METHOD,
  DEFAULT_SUMMARY_PROMPT,
  MAX_CONSECUTIVE_AUTO_REPLY,
  type AgentState,
  type ChatState,
  ag2Run,
  type Ag2RunOptions,
  type GenerateReplyOptions,
  type NestedChat,
  type RunChatOptions,
} from './options/operations.ts'
export type { RunResult, RunToolCall, RunUsage } from './chat/run-result.ts'
export type { RunStream } from './chat/run-stream.ts'
export {
  checkTerminationAndHumanReply,
  generateCodeExecutionReply,
  generateFunctionCallReply,
  generateOaiReply,
  generateToolCallsReply,
} from './reply/built-in.steps.ts'
export { ChatJournal, decisionEntry, fork, pendingIn, type ChatJournalOptions } from './durability/chat-journal.ts'
export { consoleIo, printable } from './console/console-io.ts'
export type { OutputOf, Parameters, StandardSchema } from './data/parameters.ts'
export { Steering } from './run/steering.ts'
export { customEvents } from './run/custom-events.ts'
export { tool, type ToolDefinition } from './tool/tool.ts'
export { isXError, XError } from '@x/kernel'
export { toolContent } from '@x/kernel/tool-content'
