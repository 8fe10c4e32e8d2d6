import type { ChatMessage, MaybePromise, ReplyOutcome, Run, RunOptions } from '@x/interfaces';
import type { Proposer } from '../search/parts.ts';
export type RunCode = (text: string, run: Run) => MaybePromise<string | null>;
export declare function withExecution(proposer: Proposer, runCode: RunCode): Proposer;
export interface CodeRunningAgent {
    generateCodeExecutionReply(request: CodeRequest & RunOptions): Promise<ReplyOutcome>;
    generateCodeExecutionReplySync(request: CodeRequest & Pick<RunOptions, 'run'>): ReplyOutcome;
}
interface CodeRequest {
    readonly messages: readonly ChatMessage[];
}
export declare function runCodeWith(agent: CodeRunningAgent): RunCode;
export {};
