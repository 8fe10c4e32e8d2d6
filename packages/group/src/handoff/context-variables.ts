import type { SharedVariables } from '@x/interfaces'

/**
 * The context variables of group chats. An object of this class that is given to a pattern is shared by all its chats, and
 * keeps what they change; a plain object is copied for each chat.
 */
export class ContextVariables<C extends object = Record<string, unknown>> implements SharedVariables<C> {
  /** The values, opaque. */
  readonly '~values': unknown

  constructor(initial?: C) {
    this['~values'] = new Map(Object.entries(initial ?? {}))
  }

  get<K extends keyof C>(key: K): C[K] {
    return valuesOf(this).get(key as string) as C[K]
  }

  set<K extends keyof C>(key: K, value: C[K]): void {
    valuesOf(this).set(key as string, value)
  }

  update(changes: Partial<C>): void {
    for (const [key, value] of Object.entries(changes)) valuesOf(this).set(key, value)
  }

  remove(key: keyof C): boolean {
    return valuesOf(this).delete(key as string)
  }

  toJSON(): C {
    return Object.fromEntries(valuesOf(this)) as C
  }
}

/** The map that holds context variables. */
export const valuesOf = (variables: object): Map<string, unknown> =>
  (variables as { readonly '~values': unknown })['~values'] as Map<string, unknown>
