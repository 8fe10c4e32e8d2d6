/** A value, or a promise of it: tools, reply functions, model clients and hooks may return either. */
export type MaybePromise<T> = T | PromiseLike<T>
