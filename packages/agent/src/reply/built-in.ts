import type { CodeExecutionConfig, Model } from '@x/interfaces'
import { generateCodeExecutionReply as code } from './code.steps.ts'
import { generateOaiReply as model } from './model.steps.ts'
import { stateOf } from '../memory/state.ts'
import { type AskedInRun, type StepsReply, stepsReply } from '../options/operations.ts'
import { checkTerminationAndHumanReply as termination } from './person.steps.ts'
import { generateFunctionCallReply as functionCall, generateToolCallsReply as toolCalls } from './tools.steps.ts'

/** The built-in reply function that ends a chat or hands the human's answer on. */
export const checkTerminationAndHumanReply: StepsReply = stepsReply('checkTerminationAndHumanReply', (agent, input) =>
  termination(stateOf(agent), input),
)

/** The built-in reply function that answers a function call. */
export const generateFunctionCallReply: StepsReply = stepsReply(
  'generateFunctionCallReply',
  (agent, input) => functionCall(stateOf(agent), input),
  { applies: ({ messages }) => Boolean(messages.at(-1)?.function_call) },
)

/** The built-in reply function that answers tool calls. */
export const generateToolCallsReply: StepsReply = stepsReply(
  'generateToolCallsReply',
  (agent, input) => toolCalls(stateOf(agent), input),
  { applies: ({ messages }) => Boolean(messages.at(-1)?.tool_calls) },
)

/** The built-in reply function that runs code; a `config` it is registered with goes before the agent's own. */
export const generateCodeExecutionReply: StepsReply = stepsReply('generateCodeExecutionReply', (agent, input) =>
  code(stateOf(agent), input as AskedInRun<CodeExecutionConfig | false>),
)

/** The built-in reply function that asks the model; a `config` it is registered with goes before the agent's own. */
export const generateOaiReply: StepsReply = stepsReply(
  'generateOaiReply',
  (agent, input) => model(stateOf(agent), input as AskedInRun<Model>),
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
