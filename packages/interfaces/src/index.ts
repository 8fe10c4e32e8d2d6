export type {
  ActionToApprove,
  ApprovalDecision,
  CodeBlock,
  CodeToVet,
  PendingApproval,
  ToolCallToVet,
} from './action.ts'
export type {
  Agent,
  HookName,
  Hooks,
  RegisterReplyOptions,
  ReplyFunction,
  ReplyFunctionRecord,
  ReplyInput,
  ReplyOutcome,
  SendOptions,
  Trigger,
} from './agent.ts'
export type {
  AnswerDetails,
  AnswerMedia,
  AnswerSource,
  Citation,
  FinishDetails,
  TokenLogprob,
} from './answer-details.ts'
export type {
  Budget,
  BudgetCall,
  BudgetState,
  Reservation,
  ReserveOptions,
  RoomWaiter,
  SettledAnswer,
  SharedBudget,
  Spending,
} from './budget.ts'
export type { CacheClaim, CacheStore, StoredAnswer } from './cache.ts'
export type { Carryover, ChatOptions, ChatResult, QueuedChat, SummaryArgs, SummaryMethod } from './chat.ts'
export type { ChatQueue, QueueWork } from './chat-queue.ts'
export type {
  ChatClaim,
  ChatCount,
  ChatKind,
  ChatOutcome,
  ChatQuery,
  ChatStore,
  ChatSubmission,
  ClaimedChat,
  HostedChat,
  HostedChatState,
  PendingQuestion,
  StoredDecision,
} from './chat-store.ts'
export type {
  Artifact,
  BlockResult,
  CodeExecutionConfig,
  CodeExecutor,
  CodeReader,
  CodeResult,
  CodeRunner,
  Isolation,
  RunCodeOptions,
  StopReason,
} from './code.ts'
export type { ErrorCode, ErrorInit, ModelAttempt, ModelErrorKind } from './error.ts'
export type { EventLog, LoggedEvent } from './event-log.ts'
export type {
  EventBody,
  EventOrigin,
  HandoffCause,
  RecordedEvent,
  SpanEvent,
  SpanOutcome,
  SpeakerReason,
  XEvent,
} from './event.ts'
export type { HostBackend } from './host-backend.ts'
export type { HistoryCutReport } from './history-cut-report.ts'
export type { ChosenHistory, HistoryCut, HistoryQuestion, HistoryView } from './history-view.ts'
export type { HumanInputMode } from './human.ts'
export type { Io } from './io.ts'
export type { JsonSchema, JsonValue } from './json.ts'
export type { LimitedCall, Limiter, LimiterState, Permit, RateLimits, UsedPermit } from './limiter.ts'
export type { Limits } from './limits.ts'
export type { ApiKey, ClientOptions, ConfigEntry, Price } from './config-entry.ts'
export type { SharedVariables } from './context-variables.ts'
export type { ConfigFilter, LlmConfig } from './llm-config.ts'
export type { LogRecord, Logger } from './log-record.ts'
export type { MaybePromise } from './maybe-promise.ts'
export type { ChatMessage, ContentPart, FunctionCall, Reply, Role, ToolCall, ToolResponse } from './message.ts'
export type { AnswerUsage, FinishReason, ModelAnswer, ModelChoice } from './model-answer.ts'
export type { ModelCallOptions, ModelCapabilities, ModelClient, ModelParams } from './model-client.ts'
export type { ModelEvent } from './model-event.ts'
export type { ModelLimits } from './model-limits.ts'
export type { FilterFunc, ModelResponse } from './model-response.ts'
export type { Model, ModelClientClass, ModelRequest } from './model.ts'
export type { RecordChange, RecordStore } from './record-store.ts'
export type { RequestExtras } from './request-extras.ts'
export type { RequestParams } from './request-params.ts'
export type { Provider, ProviderModule } from './provider.ts'
export type { AnswerApproach, ReasonMethod, ThinkNodeData } from './reasoning.ts'
export type {
  EventStream,
  ExternalCall,
  Face,
  Listener,
  OpenCall,
  Run,
  RunContext,
  RunOptions,
  RunScope,
} from './run.ts'
export type { Journal, JournalEntry, JournalKind } from './journal.ts'
export type { SearchEvent, SearchStatus, SearchUsage } from './search-event.ts'
export type { TerminationReason } from './termination.ts'
export type { TokenCount } from './token-count.ts'
export type { TokenRates } from './token-rates.ts'
export type { FunctionSchema, Tool, ToolContent, ToolContext, ToolIssue, ToolSchema } from './tool.ts'
export type { ModelUsage, Usage, UsageMode, UsageSummary } from './usage.ts'
export type { Verdict, Vet } from './vetting.ts'
