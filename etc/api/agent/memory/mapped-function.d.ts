import type { MaybePromise, Tool, ToolContext } from '@x/interfaces';
export interface MappedFunction {
    (args: never, context: ToolContext): MaybePromise<unknown>;
    readonly needsApproval?: Tool['needsApproval'];
}
