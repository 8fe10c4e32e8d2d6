import type { Listener, XEvent } from '@x/interfaces';
import type { Steps } from './steps.ts';
type Event = {
    readonly type: string;
};
export declare function runSync<T, E extends Event = XEvent>(steps: Steps<T, E>, options?: {
    emit?: Listener<E> | undefined;
}): T;
export declare function runAsync<T, E extends Event = XEvent>(steps: Steps<T, E>, options?: {
    signal?: AbortSignal | undefined;
    emit?: Listener<E> | undefined;
}): Promise<T>;
export {};
