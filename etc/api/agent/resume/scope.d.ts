import type { Agent, Emit, Journal, Run, RunScope } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ChatBudget } from '../chat/chat-budget.ts';
import type { ChatUnderWay } from '../chat/chat-cache.ts';
import { type Circle } from './circle.ts';
export interface Scope extends RunScope {
    readonly budget: ChatBudget | null;
    readonly chat: ChatUnderWay | null;
    readonly depth: number;
    readonly key: string;
    readonly journal: Journal | null;
    readonly places: {
        next: number;
    };
    readonly streams: boolean;
    readonly circle: Circle | null;
}
interface ScopeChange {
    readonly key: string;
    readonly chatId?: string | undefined;
    readonly agent?: Agent | undefined;
    readonly budget?: ChatBudget | null | undefined;
    readonly chat?: ChatUnderWay | undefined;
    readonly circle?: Circle | null | undefined;
}
export declare const scopeOf: ({ emit }: Pick<Run, 'emit'>) => Scope | undefined;
export declare const nextPlace: (scope: Scope) => string;
export declare const rootScope: ({ journal, budget, streams }: Pick<Scope, 'journal' | 'budget' | 'streams'>, { agentPath, depth }?: Partial<Pick<Scope, 'agentPath' | 'depth'>>) => Scope;
export declare const innerScope: (outer: Scope, { key, chatId, agent, budget, chat, circle }: ScopeChange) => Scope;
export declare function emitIn(scope: Scope, outer: Emit): Emit;
export declare const inScope: <T>(scope: Scope, steps: Steps<T>) => Steps<T>;
export declare function partOf<T>(emit: Emit | undefined, steps: Steps<T>): Steps<T>;
export {};
