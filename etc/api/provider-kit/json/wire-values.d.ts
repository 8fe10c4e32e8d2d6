export declare const listOf: (value: unknown) => readonly unknown[];
export declare const textAs: <K extends string>(key: K, value: unknown) => { [key in K]?: string; };
export declare function hasContent(value: unknown): boolean;
