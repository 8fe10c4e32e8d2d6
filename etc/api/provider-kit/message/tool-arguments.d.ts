export declare function argumentsObject(args: unknown): Record<string, unknown>;
export declare function argumentsText(args: unknown): string;
