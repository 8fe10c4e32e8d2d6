import type { JsonSchema } from '@x/interfaces';
import type { NameMap } from '../message/identifiers.ts';
import { type SchemaRules, type SchemaTableName } from './schema-rules.ts';
export interface FittedTool {
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly strict: boolean;
}
export declare class RequestSchemas {
    #private;
    constructor(names: NameMap, warn: (topic: string, text: string) => void);
    answer(schema: JsonSchema, rules: SchemaTableName | SchemaRules, asArguments?: boolean): Readonly<Record<string, unknown>>;
    tool(name: string, schema: JsonSchema | undefined, rules?: SchemaTableName | SchemaRules): FittedTool;
    get isChanged(): boolean;
    get changesAnswer(): boolean;
    warnOfUnenforced(): void;
    decodeAnswer(text: string): string;
    changesTool(wireName: string): boolean;
    decodeArguments(wireName: string, text: string): string;
}
