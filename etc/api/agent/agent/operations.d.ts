import type { Agent, ChatMessage, ChatOptions, ChatResult, CodeBlock, EventStream, FunctionCall, QueuedChat, Reply, ReplyOutcome, RunCodeOptions, RunOptions, SendOptions } from '@x/interfaces';
import { type RunStream } from '../chat/run-stream.ts';
import type { RunResult } from '../chat/run-result.ts';
import type { OutputOf, Parameters as Schema } from '../data/parameters.ts';
import { type Ag2RunOptions, type AskedReply, type ChatMeans, type ExecuteFunctionOptions, type FunctionOutcome, type GenerateReplyOptions, type ResultOptions, type RunChatOptions } from '../options/operations.ts';
import { type BuiltInConfigs, type BuiltInName } from '../reply/built-in.steps.ts';
import { type Steerable } from '../run/steering.ts';
type Form = 'promise' | 'blocking' | 'stream';
type In<F extends Form, T> = F extends 'promise' ? PromiseOf<T> : F extends 'blocking' ? T : StreamOf<T>;
type PromiseOf<T> = [T] extends [RunResult<unknown>] ? Promise<T> & Steerable : Promise<T>;
type StreamOf<T> = [T] extends [RunResult<unknown>] ? RunStream<T> : EventStream<T>;
type For<F extends Form, O> = F extends 'blocking' ? Omit<O, 'signal'> : O;
interface Operations<F extends Form> extends BuiltInOperations<F> {
    send(message: Reply, recipient: Agent, options?: For<F, SendOptions>): In<F, void>;
    receive(message: Reply, sender: Agent, options?: For<F, SendOptions>): In<F, void>;
    generateReply(options: For<F, GenerateReplyOptions>): In<F, Reply | null>;
    initiateChat(recipient: Agent, options?: For<F, ChatOptions>): In<F, ChatResult>;
    initiateChats(queue: readonly QueuedChat[], options?: For<F, RunOptions & ChatMeans>): In<F, F extends 'blocking' ? ChatResult[] : Map<number, ChatResult>>;
    run<P extends Schema | undefined = undefined, S extends 'ag2' | undefined = undefined>(message: Question, options?: AskOptions<P, S> & For<F, RunOptions>): In<F, Asked<P, S>>;
    getHumanInput(prompt: string, options?: For<F, RunOptions>): In<F, string>;
    runCode(code: string, options?: For<F, RunCodeOptions>): In<F, [exitCode: number, logs: string, image: string | null]>;
    executeCodeBlocks(blocks: readonly CodeBlock[], options?: For<F, RunOptions>): In<F, [number, string]>;
    executeFunction(call: Partial<FunctionCall>, options?: ExecuteFunctionOptions & For<F, RunOptions>): In<F, FunctionOutcome>;
    generateInitMessage(message: Reply | null, options?: Pick<ChatOptions, 'carryover'> & For<F, RunOptions>): In<F, Reply>;
    updateAgentStateBeforeReply(messages: readonly ChatMessage[], options?: For<F, RunOptions>): In<F, void>;
    processAllMessagesBeforeReply(messages: readonly ChatMessage[], options?: For<F, RunOptions>): In<F, readonly ChatMessage[]>;
    processLastReceivedMessage<M extends readonly ChatMessage[] | null>(messages: M, options?: For<F, RunOptions>): In<F, M>;
}
interface AskOptions<P, S> extends RunChatOptions, Partial<ResultOptions<P>> {
    readonly style?: S;
    readonly msgTo?: S extends 'ag2' ? Ag2RunOptions['msgTo'] : undefined;
    readonly summaryMethod?: S extends 'ag2' ? Ag2RunOptions['summaryMethod'] : undefined;
}
type Asked<P, S> = S extends 'ag2' ? P extends Schema ? ChatResult & {
    readonly result: OutputOf<P>;
} : ChatResult : RunResult<P extends Schema ? OutputOf<P> : null>;
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
