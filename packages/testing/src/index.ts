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
