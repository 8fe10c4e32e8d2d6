import type { MaybePromise, Tool, ToolContext } from '@x/interfaces'

/** A function of the function map: it takes one arguments object. */
export interface MappedFunction {
  (args: never, context: ToolContext): MaybePromise<unknown>
  /** Whether somebody has to approve of a call, with these arguments. */
  readonly needsApproval?: Tool['needsApproval']
}
