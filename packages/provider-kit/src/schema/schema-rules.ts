/** Limits of what a vendor takes in one schema; an absent one is no limit. */
export interface SchemaLimits {
  /** Most properties of all objects together. */
  readonly properties?: number | undefined
  /** Most objects inside each other. */
  readonly depth?: number | undefined
  /** Most characters of the names of properties and definitions and of the values of enumerations together. */
  readonly characters?: number | undefined
  /** Most values of all enumerations together. */
  readonly enumValues?: number | undefined
  /** Most characters of the values of one enumeration of more than 250 values. */
  readonly longEnum?: number | undefined
  /** Most optional properties; further ones are sent as lists of at most one item. */
  readonly optionals?: number | undefined
  /** Most schemas with alternatives; the values of further ones are sent as JSON text. */
  readonly unions?: number | undefined
}

/** Rules of a wire and a model for a JSON Schema to which an answer, or the arguments of a call, are held. */
export interface SchemaRules {
  /** Words for the vendor and its mode, in warnings and errors. */
  readonly vendor: string
  /** Rules for values that may be sent, such as `minimum`; the others are said in the description. */
  readonly keywords: ReadonlySet<string>
  /** Values of `format` that may be sent; undefined for all. */
  readonly formats: ReadonlySet<string> | undefined
  /** Largest `minItems` that may be sent; default: any. */
  readonly maxMinItems?: number | undefined
  /** Form of the whole schema: an object without alternatives, or anything without alternatives. */
  readonly root: 'object' | 'single'
  /** True if every object has to say that it has no further properties. */
  readonly closed: boolean
  /** Whether a property may be optional; `nullable`: it is required, and null stands for an absent one. */
  readonly optional: 'kept' | 'nullable'
  /** Whether objects with free names may be sent; otherwise they are lists of `key` and `value`. */
  readonly records: boolean
  /** Whether `prefixItems` may be sent; otherwise a tuple is an object with numbered keys. */
  readonly tuples: boolean
  /** Whether `const` may be sent; otherwise it is an `enum` of one value. */
  readonly consts: boolean
  /** Whether a schema may allow any value; otherwise such values are sent as JSON text. */
  readonly any: boolean
  /** Way in which a schema allows null: by a list of types and alternatives, or by `nullable`, which knows neither. */
  readonly nulls: 'type' | 'nullable'
  /** Values that an enumeration may have. */
  readonly enums: 'primitives' | 'texts-and-numbers' | 'texts'
  /** References: all, cyclic ones only behind optional properties, no cyclic ones, or none. */
  readonly references: 'all' | 'optional-cycles' | 'acyclic' | 'none'
  readonly limits: SchemaLimits
  /** Most tools of a request whose arguments are held to their schema; further ones are sent without. */
  readonly strictTools?: number | undefined
  /** Whether the limits of optional properties and alternatives are those of all schemas of a request together. */
  readonly sharedLimits?: boolean | undefined
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Name of a table. */
export type SchemaTableName = 'openai-strict' | 'anthropic-strict' | 'gemini' | 'gemini-openapi'

/** Rules of the vendors, as their documentation described them in November 2026. */
export const SCHEMA_TABLES: Readonly<Record<SchemaTableName, SchemaRules>> = {
  /** https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas" and the limits below it. */
  'openai-strict': {
    vendor: "OpenAI's strict mode",
    keywords: words('pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'),
    formats: words('date-time time date duration email hostname ipv4 ipv6 uuid'),
    root: 'object',
    closed: true,
    optional: 'nullable',
    records: false,
    tuples: false,
    consts: true,
    any: false,
    nulls: 'type',
    enums: 'primitives',
    references: 'all',
    limits: { properties: 5000, depth: 10, characters: 120_000, enumValues: 1000, longEnum: 15_000 },
  },
  /** https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations" and "Complexity limits". */
  'anthropic-strict': {
    vendor: "Claude's structured output",
    keywords: words('format minItems'),
    formats: words('date-time time date duration email hostname uri ipv4 ipv6 uuid'),
    maxMinItems: 1,
    root: 'object',
    closed: true,
    optional: 'kept',
    records: false,
    tuples: false,
    consts: true,
    any: false,
    nulls: 'type',
    enums: 'primitives',
    references: 'acyclic',
    limits: { optionals: 24, unions: 16 },
    strictTools: 20,
    sharedLimits: true,
  },
  /** https://ai.google.dev/api/generate-content, `GenerationConfig.responseJsonSchema`; a reference has no neighbours. */
  gemini: {
    vendor: 'Gemini',
    keywords: words('format minItems maxItems minimum maximum'),
    formats: undefined,
    root: 'single',
    closed: false,
    optional: 'kept',
    records: true,
    tuples: true,
    consts: false,
    any: true,
    nulls: 'type',
    enums: 'texts-and-numbers',
    references: 'optional-cycles',
    limits: {},
  },
  /** https://ai.google.dev/api/caching, `Schema`; `enum` is a list of texts there. */
  'gemini-openapi': {
    vendor: "Gemini's OpenAPI schema",
    keywords: words('format pattern minLength maxLength minItems maxItems minProperties maxProperties minimum maximum'),
    formats: undefined,
    root: 'single',
    closed: false,
    optional: 'kept',
    records: false,
    tuples: false,
    consts: false,
    any: true,
    nulls: 'nullable',
    enums: 'texts',
    references: 'none',
    limits: {},
  },
}
