import type { Agent, ChatMessage, ChatOptions, ChatResult, CodeBlock, EventStream, FunctionCall, QueuedChat, Reply, ReplyOutcome, RunCodeOptions, RunOptions, SendOptions } from '@x/interfaces';
import { type RunStream } from '../chat/run-stream.ts';
import type { RunResult } from '../chat/run-result.ts';
import type { OutputOf, Parameters as Schema } from '../data/parameters.ts';
import { type Ag2RunOptions, type AskedReply, type ChatMeans, type ExecuteFunctionOptions, type FunctionOutcome, type GenerateReplyOptions, type ResultOptions, type RunChatOptions } from '../options/operations.ts';
import { type BuiltInConfigs, type BuiltInName } from '../reply/built-in.steps.ts';
type Form = 'promise' | 'blocking' | 'stream';
type In<F extends Form, T> = F extends 'promise' ? Promise<T> : F extends 'blocking' ? T : StreamOf<T>;
type StreamOf<T> = [T] extends [RunResult<unknown>] ? RunStream<T> : EventStream<T>;
type For<F extends Form, O> = F extends 'blocking' ? Omit<O, 'signal'> : O;
interface Operations<F extends Form> extends BuiltInOperations<F> {
    send(message: Reply, recipient: Agent, options?: For<F, SendOptions>): In<F, void>;
    receive(message: Reply, sender: Agent, options?: For<F, SendOptions>): In<F, void>;
    generateReply(options: For<F, GenerateReplyOptions>): In<F, Reply | null>;
    initiateChat(recipient: Agent, options?: For<F, ChatOptions>): In<F, ChatResult>;
    initiateChats(queue: readonly QueuedChat[], options?: For<F, RunOptions & ChatMeans>): In<F, F extends 'blocking' ? ChatResult[] : Map<number, ChatResult>>;
    run<P extends Schema>(message: Question, options: Ag2RunOptions & ResultOptions<P> & For<F, RunOptions>): In<F, ChatResult & {
        readonly result: OutputOf<P>;
    }>;
    run(message: Question, options: Ag2RunOptions & For<F, RunOptions>): In<F, ChatResult>;
    run<P extends Schema>(message: Question, options: RunChatOptions & ResultOptions<P> & For<F, RunOptions>): In<F, RunResult<OutputOf<P>>>;
    run(message: Question, options?: RunChatOptions & For<F, RunOptions>): In<F, RunResult>;
    getHumanInput(prompt: string, options?: For<F, RunOptions>): In<F, string>;
    runCode(code: string, options?: For<F, RunCodeOptions>): In<F, [exitCode: number, logs: string, image: string | null]>;
    executeCodeBlocks(blocks: readonly CodeBlock[], options?: For<F, RunOptions>): In<F, [number, string]>;
    executeFunction(call: Partial<FunctionCall>, options?: ExecuteFunctionOptions & For<F, RunOptions>): In<F, FunctionOutcome>;
    generateInitMessage(message: Reply | null, options?: Pick<ChatOptions, 'carryover'> & For<F, RunOptions>): In<F, Reply>;
    updateAgentStateBeforeReply(messages: readonly ChatMessage[], options?: For<F, RunOptions>): In<F, void>;
    processAllMessagesBeforeReply(messages: readonly ChatMessage[], options?: For<F, RunOptions>): In<F, readonly ChatMessage[]>;
    processLastReceivedMessage<M extends readonly ChatMessage[] | null>(messages: M, options?: For<F, RunOptions>): In<F, M>;
}
type Question = Reply | readonly ChatMessage[];
type BuiltInOperations<F extends Form> = {
    [K in BuiltInName]: (options?: For<F, AskedReply<BuiltInConfigs[K]>>) => In<F, ReplyOutcome>;
};
type Name = keyof Operations<'promise'>;
declare const STREAM_NAMES: readonly ['generateReply', 'initiateChat', 'run'];
type StreamName = (typeof STREAM_NAMES)[number];
type BlockingForms = {
    [K in Name as `${K}Sync`]: Operations<'blocking'>[K];
};
type StreamForms = {
    [K in StreamName as `${K}Stream`]: Operations<'stream'>[K];
};
export interface AgentOperations extends Operations<'promise'>, BlockingForms, StreamForms {
}
export declare abstract class AgentOperations {
    #private;
    abstract readonly '~state': unknown;
}
export declare function refuseOverrides(agent: Agent): void;
export {};
