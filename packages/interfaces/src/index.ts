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
  Vet,
} from './agent.ts'
export type {
  AnswerDetails,
  AnswerSource,
  AnswerUsage,
  Citation,
  FinishReason,
  ModelAnswer,
  ModelResponse,
} from './answer.ts'
export type {
  ActionToApprove,
  ApprovalDecision,
  CodeBlock,
  CodeToVet,
  HumanInputMode,
  PendingApproval,
  ToolCallToVet,
} from './approval.ts'
export type {
  Budget,
  BudgetCall,
  Reservation,
  ReserveOptions,
  RoomWaiter,
  SettledAnswer,
  SharedBudget,
  Spending,
} from './budget.ts'
export type { CacheClaim, CacheStore, StoredAnswer } from './cache.ts'
export type { ChatResult } from './chat-result.ts'
export type { Carryover, ChatOptions, Limits, QueuedChat, SummaryArgs, SummaryMethod } from './chat.ts'
export type { Artifact, CodeResult, Isolation, StopReason } from './code-result.ts'
export type { CodeExecutionConfig, CodeExecutor, CodeReader, CodeRunner, RunCodeOptions } from './code.ts'
export type { ConfigEntry } from './config-entry.ts'
export type { EmbedAnswer, EmbedParams, EmbedRequest, EmbedResponse } from './embedding.ts'
export type { ErrorCode, ErrorInit, ModelAttempt, ModelErrorKind } from './error.ts'
export type {
  EventBody,
  EventEnvelope,
  EventOptions,
  EventUsage,
  HistoryCutReport,
  SpanEvent,
  SpanOutcome,
  SpeakerReason,
  XEvent,
} from './event.ts'
export type { ChosenHistory, HistoryCut, HistoryQuestion, HistoryView } from './history-view.ts'
export type {
  ChatClaim,
  ChatCount,
  ChatKind,
  ChatOutcome,
  ChatQueue,
  ChatStore,
  ClaimedChat,
  EventLog,
  HostBackend,
  HostedChat,
  LoggedEvent,
  PendingQuestion,
  RecordChange,
  RecordStore,
  StoredDecision,
} from './host-backend.ts'
export type { Io } from './io.ts'
export type { Journal, JournalEntry, JournalKind } from './journal.ts'
export type { JsonSchema, JsonValue, ToolIssue } from './json.ts'
export type { Limiter, Permit, RateLimits } from './limiter.ts'
export type { Logger, LogRecord } from './log-record.ts'
export type { MaybePromise } from './maybe-promise.ts'
export type { ChatMessage, ContentPart, FunctionCall, Reply, Role, ToolCall, ToolResponse } from './message.ts'
export type {
  BatchOptions,
  BatchResult,
  LlmConfig,
  Model,
  ModelClientClass,
  ModelRequest,
  TokenCount,
} from './model.ts'
export type { ModelEvent } from './model-event.ts'
export type { ModelRef } from './model-ref.ts'
export type {
  ClientBatches,
  ModelCallOptions,
  ModelCapabilities,
  ModelClient,
  ModelLimits,
  ModelParams,
  Provider,
} from './provider.ts'
export type { RequestParams } from './request-params.ts'
export type {
  CallInput,
  EventStream,
  ExternalCall,
  Face,
  Listener,
  OpenCall,
  Run,
  RunCalls,
  RunContext,
  RunOptions,
  RunScope,
  RunTrace,
  RunTracer,
  SharedVariables,
  SteeringSource,
  TraceContext,
} from './run.ts'
export type { AnswerApproach, ReasonMethod, SearchBeliefs, SearchStatus, SearchUsage } from './search.ts'
export type { TerminationReason } from './termination.ts'
export type { FunctionSchema, Tool, ToolContent, ToolContext, ToolSchema } from './tool.ts'
export type { TokenRates, Usage, UsageMode, UsageSummary } from './usage.ts'
