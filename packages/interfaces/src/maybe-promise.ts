/** A value, or a promise of it: what a leaf (tool, reply function, model client, hook) may return. */
export type MaybePromise<T> = T | PromiseLike<T>
