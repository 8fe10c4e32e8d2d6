export interface FakeResponse {
    readonly status?: number | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly pieces: readonly Uint8Array[];
    readonly open?: boolean | undefined;
}
export interface FakeFetch {
    readonly fetch: typeof globalThis.fetch;
    readonly sent: readonly string[];
    readonly cancelled: () => number;
}
export declare function fakeFetch(respond: (index: number) => FakeResponse): FakeFetch;
export declare function bytesOf(text: string, cuts?: readonly number[]): Uint8Array[];
