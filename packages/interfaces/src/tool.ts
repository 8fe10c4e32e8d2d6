import type { Agent } from './agent.ts'
import type { Io } from './io.ts'
import type { JsonSchema, ToolIssue } from './json.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ContentPart } from './message.ts'
import type { RunContext } from './run.ts'

/** The description of a function for a model. */
export interface FunctionSchema {
  name: string
  description?: string | undefined
  /** JSON Schema of the arguments object. */
  parameters?: JsonSchema | undefined
  strict?: boolean | undefined
}

/** The description of a tool for a model. */
export interface ToolSchema {
  type: 'function'
  function: FunctionSchema
}

/** The last argument of a tool. */
export interface ToolContext extends RunContext {
  /** Id of the call by the model. It is not an idempotency key: models repeat it, cached answers share it, and some providers give none. */
  readonly callId?: string | undefined
  /**
   * Globally unique idempotency key of this call: the id of the run and the place of the call. It stays the same when the run is
   * resumed, so that a service can detect a repetition.
   */
  readonly key: string
  /** The agent whose message asked for the call, if another agent makes it, as in a group with a pattern. */
  readonly caller?: Agent | undefined
  /** Asks the human behind the agent that makes the call; undefined outside of agents. */
  readonly io?: Pick<Io, 'input'> | undefined
}

/** A tool result that is more than text, such as an image; `toolContent` of `@x/agent` makes one. */
export interface ToolContent {
  readonly parts: readonly ContentPart[]
}

/** A function that agents call with one object of arguments. */
export type ToolFunction<A = never, R = unknown> = (args: A, context: ToolContext) => MaybePromise<R>

/** A function with a name, a description and a schema of its arguments. */
export interface Tool<A = never, R = unknown> {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments object. */
  readonly parameters: JsonSchema
  /** Checks and converts arguments of a model, or returns what is wrong with them. */
  validate?(args: unknown): MaybePromise<{ value: unknown } | { issues: readonly ToolIssue[] }>
  execute: ToolFunction<A, R>
  /** Seconds that an asynchronous call may take; default: no limit. */
  readonly timeout?: number | undefined
  /**
   * Whether a human has to approve a call with these arguments; default false. A text means yes, and is the `note` of the
   * action: what whoever decides has to know.
   */
  readonly needsApproval?:
    | boolean
    | ((args: Readonly<Record<string, unknown>>, context: RunContext) => MaybePromise<boolean | string>)
    | undefined
}
