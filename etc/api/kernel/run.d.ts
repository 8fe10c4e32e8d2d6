import type { EventBody } from '@x/interfaces';
import { type DriveOptions } from './driver.ts';
import type { Steps } from './steps.ts';
type AnyEvent = {
    readonly type: string;
};
export declare function runSync<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(steps: Steps<T, E>, options?: Omit<DriveOptions<L>, 'signal'>): T;
export declare function runAsync<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(steps: Steps<T, E>, options?: DriveOptions<L>): Promise<T>;
export {};
