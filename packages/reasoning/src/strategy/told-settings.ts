/** Key of the settings of a method or part of a search, which a record has beside its fingerprint: a digest tells nobody what has changed. */
const SETTINGS: unique symbol = Symbol('settings')

/** Notes the settings of a method or part, as plain data: without functions. */
export const withSettings = <T extends object>(value: T, settings: unknown): T =>
  Object.assign(value, { [SETTINGS]: settings })

/** Returns the settings that were noted of a method or part; undefined if there are none. */
export const settingsOf = (value: (object & { readonly [SETTINGS]?: unknown }) | undefined): unknown =>
  value?.[SETTINGS]
