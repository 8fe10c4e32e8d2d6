import type { ChatMessage, MaybePromise, RunContext } from '@x/interfaces';
import type { FittedHistory } from './views/view.ts';
export declare function historyHook(history: FittedHistory): (messages: readonly ChatMessage[], context?: RunContext) => MaybePromise<ChatMessage[]>;
