export type Json = Readonly<Record<string, unknown>>;
export declare const isObject: (value: unknown) => value is Json;
export declare const readable: (value: unknown) => unknown;
