import type { JsonSchema } from '@x/interfaces';
import { type SchemaRules, type SchemaTableName } from './schema-rules.ts';
export interface FittedTool {
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly strict: boolean;
}
export declare class RequestSchemas {
    #private;
    constructor(warn: (topic: string, text: string) => void);
    answer(schema: JsonSchema, rules: SchemaTableName | SchemaRules, asArguments?: boolean): Readonly<Record<string, unknown>>;
    tool(name: string, schema: JsonSchema | undefined, rules?: SchemaTableName | SchemaRules): FittedTool;
    get changesAnswer(): boolean;
    warnOfUnenforced(): void;
    decodeAnswer(text: string): string;
    changesTool(name: string): boolean;
    decodeArguments(name: string, text: string): string;
    encodeArguments(name: string, text: string): string;
}
