export declare function redact(text: string, secrets: Iterable<string>): string;
export declare function plainCause(error: unknown, secrets: Iterable<string>, depth?: number): Error | undefined;
export declare function redactedData(value: unknown, secrets: Iterable<string>): unknown;
