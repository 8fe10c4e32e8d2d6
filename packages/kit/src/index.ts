export { createAgent } from './create-agent.ts'
export {
  ag2Run,
  AssistantAgent,
  ChatJournal,
  ConversableAgent,
  initiateChats,
  Steering,
  tool,
  toolContent,
  UserProxyAgent,
} from '@x/agent'
export { isXError, XError } from '@x/agent'
export type { CreateAgentOptions, RunChatOptions, RunResult, RunStream } from '@x/agent'
export type { ApprovalDecision, ChatMessage, PendingApproval, ToolContext } from '@x/interfaces'
export { createBudget, createMemoryCache, llmConfig } from '@x/model'
export { anthropic } from '@x/provider-anthropic'
export { google } from '@x/provider-google'
export { openai } from '@x/provider-openai'
