import type { Agent, ChatMessage, CodeBlock, CodeExecutionConfig, ReplyOutcome, RunCodeOptions } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../memory/state.ts';
export declare function generateCodeExecutionReply(state: State, messages: readonly ChatMessage[] | null | undefined, sender: Agent | null, config?: CodeExecutionConfig | false | null): Steps<ReplyOutcome>;
export declare function executeCodeBlocks(state: State, blocks: readonly CodeBlock[], config?: CodeExecutionConfig | false): Steps<[exitCode: number, logs: string]>;
type Ran = [exitCode: number, logs: string, image: string | null];
export declare function runCode(state: State, code: string, options: RunCodeOptions): Steps<Ran>;
export {};
