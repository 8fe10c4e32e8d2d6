import type { Budget, Journal } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type Scope } from '../run/scope.ts';
export interface ChatMeans {
    readonly budget?: Budget | undefined;
    readonly journal?: Journal | undefined;
    readonly runId?: string | undefined;
    readonly version?: string | undefined;
}
export declare function inChat<T>(means: ChatMeans, steps: (scope: Scope) => Steps<T>, place?: string): Steps<T>;
export declare function inRun<T>(means: ChatMeans, steps: Steps<T>): Steps<T>;
