import type { Agent, CacheStore, ChatMessage, Model, Reply, ReplyOutcome } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from './state.ts';
export declare function generateOaiReply(state: State, messages: readonly ChatMessage[] | null | undefined, sender: Agent | null, config?: Model | null): Steps<ReplyOutcome>;
export declare function askModel(state: State, model: Model, messages: readonly ChatMessage[], cache: CacheStore | null): Steps<Reply | null>;
