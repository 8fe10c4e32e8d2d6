import type { RunCodeOptions, RunOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkRunOptions } from '@x/kernel/run'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { CARRYOVER, CHAT_OPTIONS, QUEUE_OPTIONS, RUN_OPTIONS, SEND_OPTIONS } from '../chat/chat-options.ts'
import { AGENT, MESSAGES } from '../options/kinds.ts'
import type { BuiltInName } from '../reply/built-in.ts'
import type { AskedReply, ExecuteFunctionOptions, ReplyRequest } from '../options/operations.ts'

const ASKED: OptionKinds<Omit<AskedReply, 'config'>> = {
  messages: kind.orNull(MESSAGES),
  sender: kind.orNull(AGENT),
  ...runOptionKinds,
}

/** A built-in reply function that takes no `config` of its own ignores one, as the Python library does. */
const BUILT_IN: OptionKinds<AskedReply<unknown>> = { ...ASKED, config: kind.any }

const GENERATE_REPLY: OptionKinds<ReplyRequest & RunOptions> = { ...ASKED, exclude: kind.list }

const RUN_CODE: OptionKinds<RunCodeOptions> = {
  lang: kind.text,
  filename: kind.text,
  timeout: kind.positive,
  workDir: kind.text,
  useDocker: kind.either(kind.flag, kind.text),
  ...runOptionKinds,
}

const EXECUTE_FUNCTION: OptionKinds<ExecuteFunctionOptions & RunOptions> = {
  callId: kind.orNull(kind.text),
  verbose: kind.flag,
  ...runOptionKinds,
}

/** Name of an asynchronous operation of an agent: of the form that gives a promise. */
export type OperationName =
  | BuiltInName
  | 'send'
  | 'receive'
  | 'generateReply'
  | 'initiateChat'
  | 'initiateChats'
  | 'run'
  | 'getHumanInput'
  | 'runCode'
  | 'executeCodeBlocks'
  | 'executeFunction'
  | 'generateInitMessage'
  | 'updateAgentStateBeforeReply'
  | 'processAllMessagesBeforeReply'
  | 'processLastReceivedMessage'

const KINDS: Readonly<Record<OperationName, OptionKinds<object>>> = {
  send: SEND_OPTIONS,
  receive: SEND_OPTIONS,
  generateReply: GENERATE_REPLY,
  initiateChat: CHAT_OPTIONS,
  initiateChats: QUEUE_OPTIONS,
  run: RUN_OPTIONS,
  checkTerminationAndHumanReply: BUILT_IN,
  generateOaiReply: BUILT_IN,
  generateToolCallsReply: BUILT_IN,
  generateFunctionCallReply: BUILT_IN,
  generateCodeExecutionReply: BUILT_IN,
  getHumanInput: runOptionKinds,
  runCode: RUN_CODE,
  executeCodeBlocks: runOptionKinds,
  executeFunction: EXECUTE_FUNCTION,
  generateInitMessage: { carryover: CARRYOVER, ...runOptionKinds },
  updateAgentStateBeforeReply: runOptionKinds,
  processAllMessagesBeforeReply: runOptionKinds,
  processLastReceivedMessage: runOptionKinds,
}

/** Refuses an unknown or wrong option of an operation, before anything happens. */
export function checkOperation(operation: OperationName, options: unknown, agent: string): void {
  checkOptions(options, KINDS[operation], ATTEMPTS[operation], agent)
}

/** Checks the options of the blocking form like {@link checkOperation}; a signal of the caller's, which could not stop it, is refused. */
export function checkBlocking(operation: OperationName, options: RunOptions | undefined, agent: string): void {
  checkOperation(operation, options, agent)
  // A signal of a run without its `run` ends that run.
  if (options) checkRunOptions(options)
  if (!options?.signal || options.run) return
  throw new XError(
    'invalid-argument',
    `cannot run \`${operation}Sync\` of \`${agent}\`: no \`signal\` can stop a blocking call; leave it out, or call \`${operation}\``,
  )
}

const ATTEMPTS = Object.fromEntries(Object.keys(KINDS).map((name) => [name, `run \`${name}\``])) as Readonly<
  Record<OperationName, string>
>
