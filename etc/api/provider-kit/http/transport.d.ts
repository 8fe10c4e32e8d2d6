type Fetch = typeof globalThis.fetch;
export declare function createTransport(fetch?: Fetch): Fetch;
export {};
