import type { JsonSchema, MaybePromise } from '@x/interfaces';
export interface StandardSchema<T = unknown> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => MaybePromise<{
            readonly value: T;
            readonly issues?: undefined;
        } | {
            readonly issues: readonly {
                readonly message: string;
                readonly path?: readonly (PropertyKey | {
                    readonly key: PropertyKey;
                })[] | undefined;
            }[];
        }>;
        readonly types?: {
            readonly input: unknown;
            readonly output: T;
        } | undefined;
        readonly jsonSchema?: {
            readonly input: (options: {
                target: string;
            }) => Record<string, unknown>;
        } | undefined;
    };
}
export type Parameters = StandardSchema | JsonSchema;
export type OutputOf<P> = P extends {
    readonly '~standard': {
        readonly types?: {
            readonly output: infer T;
        } | undefined;
    };
} ? T : Record<string, unknown>;
export type InputOf<P> = P extends {
    readonly '~standard': {
        readonly types?: {
            readonly input: infer T;
        } | undefined;
    };
} ? T : Record<string, unknown>;
export declare const isStandardSchema: <P extends Parameters>(parameters: P) => parameters is P & StandardSchema<OutputOf<P>>;
export declare function schemaOf(parameters: Parameters, name: string): JsonSchema;
export declare function problemOfParameters(schema: JsonSchema): string | undefined;
export declare function problemOfResult(schema: JsonSchema): string | undefined;
