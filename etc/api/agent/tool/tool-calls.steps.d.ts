import type { Agent, ChatMessage, FunctionCall, ReplyOutcome } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../memory/state.ts';
export interface ExecuteFunctionOptions {
    readonly callId?: string | null | undefined;
    readonly verbose?: boolean | undefined;
}
export type FunctionOutcome = [success: boolean, result: {
    name: string;
    role: 'function';
    content: unknown;
}];
export declare function executeFunction(state: State, call: Partial<FunctionCall>, { callId, verbose }?: ExecuteFunctionOptions): Steps<FunctionOutcome>;
export declare function generateToolCallsReply(state: State, messages: readonly ChatMessage[] | null | undefined, sender: Agent | null): Steps<ReplyOutcome>;
export declare function generateFunctionCallReply(state: State, messages: readonly ChatMessage[] | null | undefined, sender: Agent | null): Steps<ReplyOutcome>;
