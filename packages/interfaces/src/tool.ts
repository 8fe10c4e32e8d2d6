import type { Agent } from './agent.ts'
import type { Io } from './io.ts'
import type { JsonSchema } from './json.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ContentPart } from './message.ts'
import type { RunContext } from './run.ts'

/** A function as a model is told of it. */
export interface FunctionSchema {
  name: string
  description?: string | undefined
  /** JSON Schema of the arguments object. */
  parameters?: JsonSchema | undefined
  strict?: boolean | undefined
}

/** A tool as a model is told of it. */
export interface ToolSchema {
  type: 'function'
  function: FunctionSchema
}

/** The last argument of a tool. */
export interface ToolContext extends RunContext {
  /** Identifier that the model gave the call. It is not an idempotency key: models repeat it, cached answers share it, and some providers give none. */
  readonly callId?: string | undefined
  /**
   * Names this call in the whole world: the identifier of the run and the place of the call in it. It is the same whenever
   * the run is resumed and different for every other call, so that a service can tell a repetition by it.
   */
  readonly key: string
  /** The agent whose message asked for the call, where another one makes it, as in a group with a pattern. */
  readonly caller?: Agent | undefined
  /** Asks the person behind the agent that makes the call; undefined when it is called by hand. */
  readonly io?: Pick<Io, 'input'> | undefined
}

/** The result of a tool that gives more than text, such as an image; `toolContent` of `@x/agent` makes one. */
export interface ToolContent {
  readonly parts: readonly ContentPart[]
}

/** A function that agents call by name with one object of arguments. */
export type ToolFunction<A = never, R = unknown> = (args: A, context: ToolContext) => MaybePromise<R>

/** A function with a name, a description and a checked shape of its arguments. */
export interface Tool<A = never, R = unknown> {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments object. */
  readonly parameters: JsonSchema
  /** Checks and converts arguments that a model wrote; says where they are wrong. */
  validate?(args: unknown): MaybePromise<{ value: unknown } | { issues: readonly ToolIssue[] }>
  execute: ToolFunction<A, R>
  /** Seconds a call may take, where it gives a promise; default: no limit. */
  readonly timeout?: number | undefined
  /** Whether somebody has to approve of a call before it is made, with these arguments; default: no. */
  readonly needsApproval?:
    | boolean
    | ((args: Readonly<Record<string, unknown>>, context: RunContext) => MaybePromise<boolean>)
    | undefined
}

/** One place where arguments do not fit their schema. */
export interface ToolIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
}
