import type { JsonSchema, MaybePromise, ToolIssue } from '@x/interfaces';
import { XError } from '../x-error.ts';
type Validity = {
    readonly value: unknown;
} | {
    readonly issues: readonly ToolIssue[];
};
export declare function validation(given: object, schema: JsonSchema, refused?: (problem: string) => XError): (value: unknown) => MaybePromise<Validity>;
export declare const issuesText: (issues: readonly ToolIssue[]) => string;
export declare function validatorFor(schema: JsonSchema, refused?: (problem: string) => XError): (value: unknown) => {
    value: unknown;
} | {
    issues: ToolIssue[];
};
export declare function problemOfSchema(schema: JsonSchema): string | undefined;
export {};
