import type { EventBody, EventStream } from '@x/interfaces';
import { type DriveOptions } from './driver.ts';
import { type Steps } from './steps.ts';
type AnyEvent = {
    readonly type: string;
};
export declare function runStream<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(steps: Steps<T, E>, options?: Omit<DriveOptions<L>, 'emit'>): EventStream<T, L>;
export {};
