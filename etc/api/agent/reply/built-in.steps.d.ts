import type { CodeExecutionConfig, Model, ReplyOutcome } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type ReplySlot, type State } from '../memory/state.ts';
import { type AskedInRun, type AskedReply, type StepsReply } from '../options/operations.ts';
export interface BuiltInConfigs {
    checkTerminationAndHumanReply: never;
    generateFunctionCallReply: never;
    generateToolCallsReply: never;
    generateCodeExecutionReply: CodeExecutionConfig | false;
    generateOaiReply: Model;
}
export type BuiltInName = keyof BuiltInConfigs;
interface BuiltIn {
    readonly reply: StepsReply;
    readonly ask: (state: State, input: AskedInRun<never>) => Steps<ReplyOutcome>;
    readonly positions: 1 | 2;
    readonly isFor?: (options: Readonly<Record<string, unknown>>) => boolean;
}
export declare const BUILT_INS: Readonly<Record<BuiltInName, BuiltIn>>;
export declare const checkTerminationAndHumanReply: StepsReply;
export declare const generateFunctionCallReply: StepsReply;
export declare const generateToolCallsReply: StepsReply;
export declare const generateCodeExecutionReply: StepsReply;
export declare const generateOaiReply: StepsReply;
export declare const builtInReplies: (options: Readonly<Record<string, unknown>>) => readonly ReplySlot[];
export declare const askBuiltIn: (name: BuiltInName, state: State, options: AskedReply<never>) => Steps<ReplyOutcome>;
export {};
