import type { ChatMessage, MaybePromise, ReplyOutcome, Run, RunOptions } from '@x/interfaces';
import type { Proposer } from '../search/parts.ts';
export type RunsCode = (text: string, run: Run) => MaybePromise<string | null>;
export declare function withExecution(proposer: Proposer, runsCode: RunsCode): Proposer;
export interface CodeAgent {
    generateCodeExecutionReply(asked: AskedToRun & RunOptions): Promise<ReplyOutcome>;
    generateCodeExecutionReplySync(asked: AskedToRun & Pick<RunOptions, 'emit'>): ReplyOutcome;
}
interface AskedToRun {
    readonly messages: readonly ChatMessage[];
}
export declare function codeOf(agent: CodeAgent): RunsCode;
export {};
