export declare function retryAfterMs(headers: {
    get(name: string): string | null;
}, now: () => number): number | undefined;
