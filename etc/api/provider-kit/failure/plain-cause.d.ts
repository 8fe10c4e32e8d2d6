export declare function plainCause(error: unknown, secrets: Iterable<string>, depth?: number): Error | undefined;
