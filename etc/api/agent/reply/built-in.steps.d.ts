import type { Agent, CodeExecutionConfig, Model, ReplyOutcome } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type AskedReply, type StepsReply } from '../options/operations.ts';
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
    readonly positions: 1 | 2;
    readonly isFor?: ((options: Readonly<Record<string, unknown>>) => boolean) | undefined;
}
export declare const BUILT_INS: Readonly<Record<BuiltInName, BuiltIn>>;
export declare const checkTerminationAndHumanReply: StepsReply;
export declare const generateFunctionCallReply: StepsReply;
export declare const generateToolCallsReply: StepsReply;
export declare const generateCodeExecutionReply: StepsReply;
export declare const generateOaiReply: StepsReply;
export declare const askBuiltIn: (name: BuiltInName, agent: Agent, options: AskedReply) => Steps<ReplyOutcome>;
export {};
