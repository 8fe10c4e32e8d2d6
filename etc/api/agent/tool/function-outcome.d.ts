export interface ExecuteFunctionOptions {
    readonly callId?: string | null | undefined;
    readonly verbose?: boolean | undefined;
}
export type FunctionOutcome = [success: boolean, result: {
    name: string;
    role: 'function';
    content: unknown;
}];
