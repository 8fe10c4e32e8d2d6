export { cacheStoreContract, type CacheStoreContract } from './contracts/cache-store-contract.ts'
export type { ContractAnswer, ContractTurn, ModelClientContract } from './contracts/client-contract.ts'
export { codeExecutorContract, type CodeExecutorUnderTest } from './contracts/code-executor-contract.ts'
export { modelClientContract } from './contracts/model-client-contract.ts'
export { forbidNetwork, type ForbiddenNetwork, type ForbidNetworkOptions } from './network/forbid-network.ts'
export type { ContractExpectation, ContractRunner } from './provider-contract/runner.ts'
export { foldEvents } from './scripted/fold-events.ts'
export type { ScriptedCall, ScriptOptions, Replies } from './scripted/script.ts'
export { scriptedClient, type ScriptedClient, type ScriptedClientOptions } from './scripted/scripted-client.ts'
export {
  functionModel,
  scriptedModel,
  type FakeModelConfig,
  type FunctionModel,
  type ScriptedModel,
} from './scripted/scripted-model.ts'
export {
  scriptedClientClass,
  scriptedProvider,
  type RepliesByModel,
  type ScriptedProvider,
  type ScriptedProviderOptions,
} from './scripted/scripted-provider.ts'
export type {
  DelayedReply,
  FailedReply,
  MessageReply,
  ReplyFacts,
  ReplyFunctionOf,
  ScriptedReply,
  ScriptedUsage,
  StreamedReply,
} from './scripted/scripted-reply.ts'
export type { Delay } from './server/delivery.ts'
export type { ExchangeState, LoggedRequest } from './server/http-log.ts'
export type { ChatRequest } from './server/openai/chat-request.ts'
export type { FakeOpenAI, FakeOpenAIOptions } from './server/openai/fake-openai.ts'
export { startFakeOpenAI, type StartFakeOpenAIOptions } from './server/openai/start-fake-openai.ts'
export type {
  AnswerContent,
  BrokenFailure,
  FailedAnswer,
  RefusedFailure,
  RetryAfter,
  ServerAnswer,
  ServerChoice,
  ServerFailure,
  ServerReply,
  ServerScript,
  ServerUsage,
  Transport,
} from './server/reply.ts'
export type { ScriptedReplies, WhenEmpty } from './server/server-script.ts'
export { sseFrame, splitBytes, type Splits, type SseOptions } from './server/sse-writer.ts'
