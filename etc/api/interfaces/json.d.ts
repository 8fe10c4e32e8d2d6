export type JsonValue = string | number | boolean | null | readonly JsonValue[] | {
    readonly [key: string]: JsonValue | undefined;
};
export type JsonSchema = {
    readonly [key: string]: unknown;
};
