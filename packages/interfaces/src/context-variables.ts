/** Values that the conditions, tools and hooks of a chat share; every change is seen by all of them at once. */
export interface SharedVariables<C extends object = Record<string, unknown>> {
  /** Returns the value of a variable; undefined without one. */
  get<K extends keyof C>(key: K): C[K]
  /** Sets a variable. */
  set<K extends keyof C>(key: K, value: C[K]): void
  /** Sets several variables. */
  update(changes: Partial<C>): void
  /** Takes a variable out; tells whether there was one. */
  remove(key: keyof C): boolean
  /** Returns all variables in an object of its own. */
  toJSON(): C
}
