import type { XEvent } from '@x/interfaces';
import type { Steps } from './steps.ts';
export declare function runStream<T, E extends {
    readonly type: string;
} = XEvent>(steps: Steps<T, E>, { signal }?: {
    signal?: AbortSignal | undefined;
}): AsyncGenerator<E, T, void>;
