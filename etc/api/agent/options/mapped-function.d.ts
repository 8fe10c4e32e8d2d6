import type { MaybePromise, Tool, ToolContext } from '@x/interfaces';
export interface MappedFunction {
    (args: never, context: ToolContext): MaybePromise<unknown>;
    readonly needsApproval?: Tool['needsApproval'];
    readonly raw?: ((args: never, context: ToolContext) => MaybePromise<unknown>) | undefined;
}
export interface ExecuteFunctionOptions {
    readonly callId?: string | null | undefined;
    readonly verbose?: boolean | undefined;
}
export type FunctionOutcome = [success: boolean, result: {
    name: string;
    role: 'function';
    content: unknown;
}];
