import type { EventBody } from '@x/interfaces';
import { type Steps } from './steps.ts';
export declare function each<I, R, E extends {
    readonly type: string;
} = EventBody>(source: AsyncIterable<I, R> | Iterable<I, R>, handle: (item: I) => E | undefined, what?: string): Steps<R, E>;
