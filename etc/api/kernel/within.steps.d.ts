import type { EventBody, RunScope } from '@x/interfaces';
import { type Steps } from './steps.ts';
export declare function within<T, E extends {
    readonly type: string;
} = EventBody>(scope: RunScope, steps: Steps<T, E>): Steps<T, E>;
