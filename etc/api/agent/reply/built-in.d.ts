import { type StepsReply } from '../options/operations.ts';
export declare const checkTerminationAndHumanReply: StepsReply;
export declare const generateFunctionCallReply: StepsReply;
export declare const generateToolCallsReply: StepsReply;
export declare const generateCodeExecutionReply: StepsReply;
export declare const generateOaiReply: StepsReply;
export type BuiltInName = 'checkTerminationAndHumanReply' | 'generateFunctionCallReply' | 'generateToolCallsReply' | 'generateCodeExecutionReply' | 'generateOaiReply';
export declare const BUILT_INS: Readonly<Record<BuiltInName, StepsReply>>;
