export interface SchemaLimits {
    readonly properties?: number | undefined;
    readonly depth?: number | undefined;
    readonly characters?: number | undefined;
    readonly enumValues?: number | undefined;
    readonly longEnum?: number | undefined;
    readonly optionals?: number | undefined;
    readonly unions?: number | undefined;
}
export interface SchemaRules {
    readonly vendor: string;
    readonly keywords: ReadonlySet<string>;
    readonly formats: ReadonlySet<string> | undefined;
    readonly maxMinItems?: number | undefined;
    readonly root: 'object' | 'single';
    readonly closed: boolean;
    readonly optional: 'kept' | 'nullable';
    readonly records: boolean;
    readonly tuples: boolean;
    readonly consts: boolean;
    readonly any: boolean;
    readonly nulls: 'type' | 'nullable';
    readonly enums: 'primitives' | 'texts-and-numbers' | 'texts';
    readonly references: 'all' | 'optional-cycles' | 'acyclic' | 'none';
    readonly limits: SchemaLimits;
    readonly strictTools?: number | undefined;
    readonly sharedLimits?: boolean | undefined;
}
export type SchemaTableName = 'openai-strict' | 'anthropic-strict' | 'gemini' | 'gemini-openapi';
export declare const SCHEMA_TABLES: Readonly<Record<SchemaTableName, SchemaRules>>;
