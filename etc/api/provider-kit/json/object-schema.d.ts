type Schema = Record<string, unknown>;
export declare function objectSchema(given: object | undefined): Schema;
export {};
