type Fetch = typeof globalThis.fetch;
export declare function createTransport(fetch?: Fetch, now?: () => number): Fetch;
export {};
