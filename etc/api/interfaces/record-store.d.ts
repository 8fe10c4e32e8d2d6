import type { MaybePromise } from './maybe-promise.ts';
export type RecordChange<T> = (value: unknown, now: number) => {
    readonly value: unknown;
    readonly answer: T;
};
export interface RecordStore {
    change<T>(key: string, change: RecordChange<T>, options?: {
        readonly durable?: boolean | undefined;
    }): MaybePromise<T>;
}
