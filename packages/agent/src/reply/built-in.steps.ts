import type { Agent, CodeExecutionConfig, Model, ReplyOutcome } from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { type State, stateOf } from '../memory/state.ts'
import { type AskedInRun, type AskedReply, type StepsReply, stepsReply } from '../options/operations.ts'
import { withSilence } from '../run/within.steps.ts'
import { generateCodeExecutionReply as runCodeOf } from './code.steps.ts'
import { generateOaiReply as askModelOf } from './model.steps.ts'
import { checkTermination, checkTerminationAndHumanReply as askPersonOf } from './person.steps.ts'
import {
  generateFunctionCallReply as answerFunctionCall,
  generateToolCallsReply as answerToolCalls,
} from './tools.steps.ts'

/** Names of the built-in reply functions, with the type of the `config` that their operations take. */
export interface BuiltInConfigs {
  /** Ends the chat, returns the human's answer, or lets the next reply functions answer. */
  checkTerminationAndHumanReply: never
  /** Answers the function call of the last message. */
  generateFunctionCallReply: never
  /** Answers the tool calls of the last message: at once in the asynchronous forms, results in the order of the calls. */
  generateToolCallsReply: never
  /** Runs the code of the newest message that has some. */
  generateCodeExecutionReply: CodeExecutionConfig | false
  /** Asks the model, or the one given as `config`. */
  generateOaiReply: Model
}

/** Name of a built-in reply function, and of its operation. */
export type BuiltInName = keyof BuiltInConfigs

/** A built-in reply function, and its slots in the list of an agent. */
interface BuiltIn {
  readonly reply: StepsReply
  /** Literal positions in the list: two for a function with an asynchronous twin in the Python library. */
  readonly positions: 1 | 2
  /** Tells by the options of an agent whether the agent has this function; default: every agent has it. */
  readonly isFor?: ((options: Readonly<Record<string, unknown>>) => boolean) | undefined
}

type Details = Partial<Pick<BuiltIn, 'positions' | 'isFor'>> & Pick<StepsReply, 'applies' | 'atOnce'>

function builtIn<C>(
  name: BuiltInName,
  steps: (state: State, input: AskedInRun<C>) => Steps<ReplyOutcome>,
  { applies, atOnce, positions = 2, isFor }: Details = {},
): BuiltIn {
  const ask: StepsReply['steps'] = (agent, input) => steps(stateOf(agent), input as unknown as AskedInRun<C>)
  return { reply: stepsReply(name, ask, { applies, atOnce, isBuiltIn: true }), positions, isFor }
}

/** The built-in reply functions in the order in which an agent asks them. `applies` is a cheap test that skips a function. */
export const BUILT_INS: Readonly<Record<BuiltInName, BuiltIn>> = {
  checkTerminationAndHumanReply: builtIn('checkTerminationAndHumanReply', askPersonOf, {
    atOnce: (agent, input) => checkTermination(stateOf(agent), input as unknown as AskedInRun),
  }),
  generateFunctionCallReply: builtIn('generateFunctionCallReply', answerFunctionCall, {
    applies: ({ messages }) => Boolean(messages.at(-1)?.function_call),
  }),
  generateToolCallsReply: builtIn('generateToolCallsReply', answerToolCalls, {
    applies: ({ messages }) => Boolean(messages.at(-1)?.tool_calls),
  }),
  generateCodeExecutionReply: builtIn('generateCodeExecutionReply', runCodeOf, {
    positions: 1,
    isFor: ({ codeExecutionConfig }) => Boolean(codeExecutionConfig),
  }),
  generateOaiReply: builtIn('generateOaiReply', askModelOf, {
    applies: ({ config }, agent) => Boolean(config ?? stateOf(agent).model),
  }),
}

/** The built-in reply function that ends a chat or returns the human's answer. */
export const checkTerminationAndHumanReply: StepsReply = BUILT_INS.checkTerminationAndHumanReply.reply

/** The built-in reply function that answers a function call. */
export const generateFunctionCallReply: StepsReply = BUILT_INS.generateFunctionCallReply.reply

/** The built-in reply function that answers tool calls. */
export const generateToolCallsReply: StepsReply = BUILT_INS.generateToolCallsReply.reply

/** The built-in reply function that runs code; a `config` it is registered with goes before the agent's own. */
export const generateCodeExecutionReply: StepsReply = BUILT_INS.generateCodeExecutionReply.reply

/** The built-in reply function that asks the model; a `config` it is registered with goes before the agent's own. */
export const generateOaiReply: StepsReply = BUILT_INS.generateOaiReply.reply

/** Runs a built-in reply function as an operation of an agent. */
export const askBuiltIn = (name: BuiltInName, agent: Agent, options: AskedReply): Steps<ReplyOutcome> =>
  withSilence(stateOf(agent).silent, askWith(BUILT_INS[name].reply, agent, options))

function* askWith(
  { steps }: StepsReply,
  agent: Agent,
  { messages = null, sender = null, config = null }: AskedReply,
): Steps<ReplyOutcome> {
  const input: AskedInRun = { messages, sender, config, run: yield* currentRun() }
  return yield* steps(agent, input as Parameters<StepsReply['steps']>[1])
}
