export type JsonValue = string | number | boolean | null | readonly JsonValue[] | {
    readonly [key: string]: JsonValue | undefined;
};
export type JsonSchema = {
    readonly [key: string]: unknown;
};
export interface ToolIssue {
    readonly path: readonly (string | number)[];
    readonly message: string;
}
