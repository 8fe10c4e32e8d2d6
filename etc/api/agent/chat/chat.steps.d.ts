import type { Agent, ChatOptions, ChatResult } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type ActiveChat, type State } from '../memory/state.ts';
import type { Scope } from '../run/scope.ts';
interface ChatStart {
    readonly place?: string | undefined;
    readonly ownIfBusy?: boolean | undefined;
}
export declare function initiateChat(initiator: Agent, recipient: Agent, options?: ChatOptions, { place, ownIfBusy }?: ChatStart): Steps<ChatResult>;
export declare function chat(scope: Scope, [self, other]: readonly [State, State], options: ChatOptions, ownIfBusy?: boolean): Steps<ChatResult>;
export declare function hasOwnConversations([self, other]: readonly [State, State], active: ActiveChat | null, { conversation, clearHistory, summaryMethod }: ChatOptions, ownIfBusy?: boolean): boolean;
export {};
