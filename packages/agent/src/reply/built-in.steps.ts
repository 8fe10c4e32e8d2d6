import type { CodeExecutionConfig, Model, ReplyOutcome } from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { type ReplySlot, sharesEqual, type State, stateOf } from '../memory/state.ts'
import { type AskedInRun, type AskedReply, type StepsReply, stepsReply } from '../options/operations.ts'
import { withSilence } from '../run/within.steps.ts'
import { generateCodeExecutionReply as runCodeOf } from './code.steps.ts'
import { generateOaiReply as askModelOf } from './model.steps.ts'
import { checkTerminationAndHumanReply as askPersonOf } from './person.steps.ts'
import { withReply } from './reply-list.ts'
import {
  generateFunctionCallReply as answerFunctionCall,
  generateToolCallsReply as answerToolCalls,
} from './tools.steps.ts'

/** Every built-in reply function, with the type of the `config` that it takes where it is called as an operation. */
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

/** A built-in reply function in the list of an agent. */
interface BuiltIn {
  readonly reply: StepsReply
  /** The same for an operation, which is asked in any case. */
  readonly ask: (state: State, input: AskedInRun<never>) => Steps<ReplyOutcome>
  /** Literal positions in the list: two for a function with an asynchronous twin in the Python library. */
  readonly positions: 1 | 2
  /** Tells by the options of an agent whether it has the function; default: every agent has. */
  readonly isFor?: (options: Readonly<Record<string, unknown>>) => boolean
}

type Details = Partial<Pick<BuiltIn, 'positions' | 'isFor'>> & Pick<StepsReply, 'applies'>

function builtIn<C>(
  name: BuiltInName,
  ask: (state: State, input: AskedInRun<C>) => Steps<ReplyOutcome>,
  { applies, positions = 2, ...details }: Details = {},
): BuiltIn {
  const steps: StepsReply['steps'] = (agent, input) => ask(stateOf(agent), input as unknown as AskedInRun<C>)
  const reply = stepsReply(name, steps, { applies })
  return { reply, ask: ask as BuiltIn['ask'], positions, ...details }
}

/** The built-in reply functions in the order in which an agent asks them. `applies` tells cheaply that one has no reply. */
export const BUILT_INS: Readonly<Record<BuiltInName, BuiltIn>> = {
  checkTerminationAndHumanReply: builtIn('checkTerminationAndHumanReply', askPersonOf),
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

const anyone = (): boolean => true

const SLOTS: readonly { readonly isFor: BuiltIn['isFor']; readonly slots: readonly ReplySlot[] }[] = Object.values(
  BUILT_INS,
).map(({ reply, positions, isFor }) => {
  const [slot] = withReply([], anyone, reply)
  return { isFor, slots: positions === 2 ? [null, slot!] : [slot!] }
})

// Agents with the same built-in reply functions share the list.
const shareList = sharesEqual<readonly ReplySlot[]>()

/** The list of reply functions that an agent with these options begins with. */
export const builtInReplies = (options: Readonly<Record<string, unknown>>): readonly ReplySlot[] =>
  shareList(SLOTS.flatMap(({ isFor, slots }) => (!isFor || isFor(options) ? slots : [])))

/** Asks a built-in reply function of an agent as an operation. */
export const askBuiltIn = (name: BuiltInName, state: State, options: AskedReply<never>): Steps<ReplyOutcome> =>
  withSilence(state.silent, askWith(BUILT_INS[name], state, options))

function* askWith(
  { ask }: BuiltIn,
  state: State,
  { messages = null, sender = null, config = null }: AskedReply<never>,
): Steps<ReplyOutcome> {
  return yield* ask(state, { messages, sender, config, run: yield* currentRun() })
}
