export declare function isRecord(value: unknown): value is Record<string, unknown>;
export declare const recordOf: (value: unknown) => Readonly<Record<string, unknown>>;
export declare const listOf: (value: unknown) => readonly unknown[];
export declare const textAs: <K extends string>(key: K, value: unknown) => { [key in K]?: string; };
export declare function hasContent(value: unknown): boolean;
export declare function parseJson(text: string): unknown;
export declare function joinedBase64(pieces: readonly string[]): string;
export declare const wellFormedJson: (json: string) => string;
