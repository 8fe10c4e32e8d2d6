import type { CodeExecutionConfig, Model } from '@x/interfaces'
import { generateCodeExecutionReply as code } from './code.steps.ts'
import { generateOaiReply as model } from './model-reply.steps.ts'
import { stateOf } from '../memory/state.ts'
import type { StepsReply } from '../options/reply-options.ts'
import { stepsReply } from './steps-reply.ts'
import { checkTerminationAndHumanReply as termination } from './termination.steps.ts'
import {
  generateFunctionCallReply as functionCall,
  generateToolCallsReply as toolCalls,
} from '../tool/tool-calls.steps.ts'

/** The built-in reply function that ends a chat or hands the human's answer on. */
export const checkTerminationAndHumanReply: StepsReply = stepsReply(
  'checkTerminationAndHumanReply',
  (agent, { messages, sender }) => termination(stateOf(agent), messages, sender),
)

/** The built-in reply function that answers a function call. */
export const generateFunctionCallReply: StepsReply = stepsReply(
  'generateFunctionCallReply',
  (agent, { messages, sender }) => functionCall(stateOf(agent), messages, sender),
  { applies: ({ messages }) => Boolean(messages.at(-1)?.function_call) },
)

/** The built-in reply function that answers tool calls. */
export const generateToolCallsReply: StepsReply = stepsReply(
  'generateToolCallsReply',
  (agent, { messages, sender }) => toolCalls(stateOf(agent), messages, sender),
  { applies: ({ messages }) => Boolean(messages.at(-1)?.tool_calls) },
)

/** The built-in reply function that runs code; a `config` it is registered with goes before the agent's own. */
export const generateCodeExecutionReply: StepsReply = stepsReply(
  'generateCodeExecutionReply',
  (agent, { messages, sender, config }) =>
    code(stateOf(agent), messages, sender, config as CodeExecutionConfig | false | null),
)

/** The built-in reply function that asks the model; a `config` it is registered with goes before the agent's own. */
export const generateOaiReply: StepsReply = stepsReply(
  'generateOaiReply',
  (agent, { messages, sender, config }) => model(stateOf(agent), messages, sender, config as Model | null),
  { applies: ({ config }, agent) => Boolean(config ?? stateOf(agent).model) },
)

/** Names of the built-in reply functions; an agent has two operations for each, `x` and `xSync`. */
export type BuiltInName =
  | 'checkTerminationAndHumanReply'
  | 'generateFunctionCallReply'
  | 'generateToolCallsReply'
  | 'generateCodeExecutionReply'
  | 'generateOaiReply'

/** The built-in reply functions by name; a further one is added to `BuiltInName` too, and to `AgentOperations`. */
export const BUILT_INS: Readonly<Record<BuiltInName, StepsReply>> = {
  checkTerminationAndHumanReply,
  generateFunctionCallReply,
  generateToolCallsReply,
  generateCodeExecutionReply,
  generateOaiReply,
}
