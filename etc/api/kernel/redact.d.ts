export declare function redact(text: string, secrets: Iterable<string>): string;
export declare function redactData(value: unknown, secrets: Iterable<string>): unknown;
