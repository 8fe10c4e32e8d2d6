import type { Budget, ChatResult, Journal, SummaryMethod, Tool } from '@x/interfaces'
import type { Parameters } from '../schema/parameters.ts'

/** Options of a chat that hold for everything inside it. */
export interface ChatMeans {
  /** Limits the spending of the chat and everything inside it; when it is used up, the chat ends with `budget`. */
  readonly budget?: Budget | undefined
  /** Keeps what is answered in the chat and inside it; with one from before, the chat goes on. */
  readonly journal?: Journal | undefined
  /** Names the run in the whole world, with a `journal` only; default: a random one, kept there. */
  readonly runId?: string | undefined
  /** Version of the program, kept in the `journal`; a chat of another version is refused first. */
  readonly version?: string | undefined
}

/** Options of `run`. */
export interface RunChatOptions extends ChatMeans {
  /** Tools for this run: told to the model, executed by the user's side, gone afterwards. */
  readonly tools?: Tool | readonly Tool[] | undefined
  /** Options of the agent that stands for the user, beside its name and mode. */
  readonly executorKwargs?: Readonly<Record<string, unknown>> | undefined
  /** Most round trips; default: until the chat is ended, and 10 with a `result`. */
  readonly maxTurns?: number | null | undefined
  /** Most messages of a run that nothing else limits; see `maxMessages` of a chat. */
  readonly maxMessages?: number | undefined
  /** Who gets the first message; default `agent`. */
  readonly msgTo?: 'agent' | 'user' | undefined
  /** Whether earlier conversation is forgotten; default false. */
  readonly clearHistory?: boolean | undefined
  /** Whether a human is asked for the user's answers; default true. */
  readonly userInput?: boolean | undefined
  readonly summaryMethod?: SummaryMethod | null | undefined
  /**
   * Where the messages are kept: with the agents (`shared`, the default), or in the result only (`own`): such a run begins
   * empty and may run beside others of the same agent.
   */
  readonly conversation?: 'shared' | 'own' | undefined
  /** Whether nothing of the run is printed; default: as the agent says. An `io` of the caller's still gets its events. */
  readonly silent?: boolean | null | undefined
}

/** Options of a `run` that gives a checked value. */
export interface ResultOptions<P extends Parameters> {
  /** Shape of the result: zod, any Standard Schema with a JSON Schema, or plain JSON Schema. */
  readonly result: P
  /** Times the agent may try again when its answer does not fit; default 2. */
  readonly resultRepairs?: number | undefined
}

/** The outcome of a `run` with a `result`: the result of the chat, and the checked value. */
export interface RunResult<T> extends ChatResult {
  readonly result: T
}
