import type { Agent, ChatOptions, ChatResult } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../memory/state.ts';
import type { Scope } from '../run/scope.ts';
export declare function initiateChat(initiator: Agent, recipient: Agent, options?: ChatOptions, place?: string): Steps<ChatResult>;
export declare function chat(scope: Scope, [self, other]: readonly [State, State], options: ChatOptions): Steps<ChatResult>;
