import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { HISTORY, IO, LLM_CONFIG, LOGGER, REPLY } from '../memory/option-kinds.ts'
import type { ConversableAgentOptions } from './options.ts'

/** Kinds of the options of an agent. */
export const AGENT_OPTIONS: OptionKinds<ConversableAgentOptions> = {
  // A missing or wrong name has a code of its own.
  name: kind.any,
  systemMessage: kind.text,
  llmConfig: LLM_CONFIG,
  history: HISTORY,
  isTerminationMsg: kind.call,
  maxConsecutiveAutoReply: kind.limit(0),
  humanInputMode: kind.oneOf('ALWAYS', 'NEVER', 'TERMINATE'),
  functionMap: kind.object,
  // What it lacks is said with what makes it.
  codeExecutionConfig: kind.any,
  beforeToolCall: kind.call,
  beforeCodeExecution: kind.call,
  defaultAutoReply: REPLY,
  description: kind.text,
  chatMessages: kind.having('a `Map` of messages by agent', 'get'),
  silent: kind.orNull(kind.flag),
  contextVariables: kind.object,
  functions: { ...kind.either(kind.object, kind.list), expected: 'a tool or a list of tools' },
  updateAgentStateBeforeReply: kind.either(kind.call, kind.either(kind.object, kind.list)),
  io: IO,
  logger: LOGGER,
  now: kind.call,
}

/** Refuses an unknown or wrong option of a new agent. */
export function checkAgentOptions(options: ConversableAgentOptions): void {
  const name: unknown = (options as Partial<ConversableAgentOptions> | null)?.name
  const attempt = typeof name === 'string' ? `create the agent \`${name}\`` : 'create an agent'
  checkOptions(options ?? null, AGENT_OPTIONS, attempt)
}
