export declare function isRecord(value: unknown): value is Record<string, unknown>;
