import type { MaybePromise, Tool, ToolContext } from '@x/interfaces'

/** A function of the function map: it takes one arguments object. */
export interface MappedFunction {
  (args: never, context: ToolContext): MaybePromise<unknown>
  /** Whether somebody has to approve of a call, with these arguments. */
  readonly needsApproval?: Tool['needsApproval']
  /** The same function, with its result as it is and not as text. */
  readonly raw?: ((args: never, context: ToolContext) => MaybePromise<unknown>) | undefined
}

/** Options of one call. */
export interface ExecuteFunctionOptions {
  /** Identifier of the call. */
  readonly callId?: string | null | undefined
  /** Whether an `executedFunction` event follows the call; default false. */
  readonly verbose?: boolean | undefined
}

/** The outcome of a call: whether it succeeded, and the message that says so. */
export type FunctionOutcome = [success: boolean, result: { name: string; role: 'function'; content: unknown }]
