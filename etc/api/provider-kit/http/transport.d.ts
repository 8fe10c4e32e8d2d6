type Fetch = typeof globalThis.fetch;
export declare function createTransport(): Fetch;
export {};
