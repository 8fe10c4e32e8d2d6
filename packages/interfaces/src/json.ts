/** A value that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined }

/** A JSON Schema (draft 2020-12 or older), as plain data. */
export type JsonSchema = { readonly [key: string]: unknown }

/** One place where a value, such as the arguments of a call, does not fit its schema. */
export interface ToolIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
}
