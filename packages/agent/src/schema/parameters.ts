import type { JsonSchema, MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'

/** The part of Standard Schema (https://standardschema.dev) that a tool needs. */
export interface StandardSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => MaybePromise<
      | { readonly value: T; readonly issues?: undefined }
      | {
          readonly issues: readonly {
            readonly message: string
            readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
          }[]
        }
    >
    readonly types?: { readonly input: unknown; readonly output: T } | undefined
    /** Standard JSON Schema: gives the schema of what goes in. */
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> } | undefined
  }
}

/** The description of the arguments of a tool: zod or another Standard Schema, or plain JSON Schema. */
export type Parameters = StandardSchema | JsonSchema

/** The arguments that `execute` gets for these parameters. */
export type OutputOf<P> = P extends {
  readonly '~standard': { readonly types?: { readonly output: infer T } | undefined }
}
  ? T
  : Record<string, unknown>

/** Tells a Standard Schema from a plain JSON Schema. */
export const isStandardSchema = <P extends Parameters>(parameters: P): parameters is P & StandardSchema<OutputOf<P>> =>
  '~standard' in parameters

/** The JSON Schema of parameters, as a model is told of them. */
export function schemaOf(parameters: Parameters, name: string): JsonSchema {
  if (!isStandardSchema(parameters)) return parameters
  const { jsonSchema, vendor } = parameters['~standard']
  const schema = readSchema(name, () => jsonSchema?.input({ target: 'draft-2020-12' }) ?? ownJsonSchema(parameters))
  if (!schema) {
    throw new XError(
      'invalid-argument',
      `the parameters of the tool \`${name}\`, of \`${vendor}\`, give no JSON Schema: use a version that does, or write one`,
    )
  }
  const { $schema: _, ...rest } = schema
  return rest
}

/** Reads a schema; a library refuses what JSON Schema cannot say, such as dates. */
function readSchema<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new XError(
      'invalid-argument',
      `the parameters of the tool \`${name}\` have no JSON Schema: ${reason}; use types that JSON has`,
      { cause },
    )
  }
}

/** The schema of a library whose values bring a `toJSONSchema` of their own. */
function ownJsonSchema(parameters: object): Record<string, unknown> | undefined {
  const { toJSONSchema } = parameters as { toJSONSchema?: (options: object) => Record<string, unknown> }
  return toJSONSchema?.call(parameters, { io: 'input' })
}
