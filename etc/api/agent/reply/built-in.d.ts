import { type StepsReply } from './steps-reply.ts';
export declare const checkTerminationAndHumanReply: StepsReply;
export declare const generateFunctionCallReply: StepsReply;
export declare const generateToolCallsReply: StepsReply;
export declare const generateCodeExecutionReply: StepsReply;
export declare const generateOaiReply: StepsReply;
export declare const BUILT_INS: Readonly<Record<string, StepsReply>>;
