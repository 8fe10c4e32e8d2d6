import type { ModelLimits } from '../../packages/interfaces/src/provider.ts'

/** A choice made by hand where the public tables differ. */
export interface Decision {
  readonly endpoint: string
  /** A model name, or the beginning of one with `*` behind it. */
  readonly model: string
  /** Field such as `contextWindow` or `price.input`, or the beginning of one with `*` behind it. */
  readonly field: string
  /** Name of the table that is right, or the value; null: nothing is known. */
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
  /** Limits of models whose own are in no table and of names that are not known, by endpoint and the beginning of a name. */
  readonly families: ByName<ModelLimits>
  /** Other names of a model that hosts use, by endpoint. */
  readonly aliases: ByName<string>
}

/** Finds the choice for a field of a model; an exact name wins over the beginning of one. */
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
