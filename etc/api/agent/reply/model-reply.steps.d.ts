import type { Agent, CacheStore, ChatMessage, Model, Reply, ReplyOutcome } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../memory/state.ts';
export declare function generateOaiReply(state: State, messages: readonly ChatMessage[] | null | undefined, sender: Agent | null, config?: Model | null): Steps<ReplyOutcome>;
export interface Question {
    readonly before?: readonly ChatMessage[];
    readonly seen: readonly ChatMessage[];
    readonly last: ChatMessage | undefined;
    readonly owner?: State | undefined;
}
export declare function askModel(state: State, model: Model, { before, seen, last, owner }: Question, cache: CacheStore | null): Steps<Reply | null>;
export declare function unrolled(message: ChatMessage): readonly ChatMessage[];
