import type { ModelLimits } from '../../packages/interfaces/src/provider.ts'

/** A choice made by hand where the public tables differ. */
export interface Decision {
  readonly endpoint: string
  /** A model name, or a prefix followed by `*`. */
  readonly model: string
  /** A field such as `contextWindow` or `price.input`, or a prefix followed by `*`. */
  readonly field: string
  /** Name of the table that is right, or the value; null if the value is unknown. */
  readonly take: TableName | number | null
  readonly why: string
}

/** The public tables, in the order in which a field that only they differ in is listed. */
export type TableName = 'genaiPrices' | 'litellm' | 'modelsDev'

type ByName<T> = Readonly<Record<string, Readonly<Record<string, T>>>>

/** The file of decisions. */
export interface Decisions {
  readonly decisions: readonly Decision[]
  /** Limits that no table has, by endpoint and model. */
  readonly limits: ByName<ModelLimits>
  /** Limits of models without limits in any table, and of unknown names, by endpoint and prefix of the name. */
  readonly families: ByName<ModelLimits>
  /** Other names of a model that hosts use, by endpoint. */
  readonly aliases: ByName<string>
}

/** Finds the choice for a field of a model; an exact name wins over a prefix. */
export function decisionFor(
  { decisions }: Decisions,
  endpoint: string,
  model: string,
  field: string,
): Decision | undefined {
  const fitting = decisions.filter(
    (each) => each.endpoint === endpoint && fits(each.model, model) && fits(each.field, field),
  )
  return fitting.find((each) => each.model === model) ?? fitting[0]
}

const fits = (pattern: string, text: string): boolean =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text
