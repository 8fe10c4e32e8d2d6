import { tool, type OutputOf, type Parameters, type ToolDefinition } from '@x/agent'
import type { Agent, JsonSchema, MaybePromise, SharedVariables, Tool, ToolContext } from '@x/interfaces'
import { XError } from '@x/kernel'

/**
 * The context variables of group chats. A pattern shares an object of this class among all its chats and keeps their
 * changes; it copies a plain object for each chat.
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

/** Returns the map that holds context variables. */
export const valuesOf = (variables: object): Map<string, unknown> =>
  (variables as { readonly '~values': unknown })['~values'] as Map<string, unknown>

/** Copies a value for one chat: lists and plain objects in full, while others, such as a connection, stay what they are. */
export function copyForChat<T>(value: T, copies: Map<unknown, unknown> = new Map()): T {
  const isList = Array.isArray(value)
  if (!isList && Object.getPrototypeOf(value ?? 0) !== Object.prototype) return value
  const known = copies.get(value)
  if (known) return known as T
  const copy: Record<string, unknown> = isList ? ([] as never) : {}
  copies.set(value, copy)
  // Defined, since `__proto__` of a text in JSON is a key like others.
  for (const [key, each] of Object.entries(value as object))
    Object.defineProperty(copy, key, { ...PLAIN_FIELD, value: copyForChat(each, copies) })
  return copy as T
}

const PLAIN_FIELD = { configurable: true, enumerable: true, writable: true } as const

/** Returns context variables as plain values, also where a tool passes the object on that it was given. */
export const plainVariables = (variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  variables instanceof ContextVariables ? variables.toJSON() : variables

/**
 * Fills each `{name}` of a template with that variable; a placeholder without a variable stays and is reported. `{{name}}`
 * stands for `{name}` itself; other braces stay as they are, since such a text may show JSON.
 */
export const fillVariables = (
  template: string,
  variables: Readonly<Record<string, unknown>>,
  onMissing: (name: string) => void,
): string =>
  template.replaceAll(/\{\{\w+\}\}|\{(\w+)\}/gu, (placeholder, name: string | undefined) => {
    if (name === undefined) return placeholder.slice(1, -1)
    if (Object.hasOwn(variables, name)) return variableText(variables[name])
    onMissing(name)
    return placeholder
  })

const variableText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** A tool of a group with typed context variables. */
interface GroupToolDefinition<C extends object, P extends Parameters, R> extends Omit<ToolDefinition<P, R>, 'execute'> {
  /** Does the work; a change of `contextVariables` holds for the whole group at once. */
  readonly execute: (
    args: OutputOf<P>,
    context: Omit<ToolContext, 'contextVariables' | 'caller'> & {
      readonly contextVariables: SharedVariables<C>
      readonly caller: Agent
    },
  ) => MaybePromise<R>
}

/** Makes a tool that knows the types of the context variables of a group: `groupTool<Variables>()({ name, execute, … })`. */
export function groupTool<C extends object>(
  ...none: readonly never[]
): <P extends Parameters = JsonSchema, R = unknown>(definition: GroupToolDefinition<C, P, R>) => Tool<OutputOf<P>, R> {
  if (none.length > 0) {
    throw new XError(
      'invalid-argument',
      'cannot make a tool of a group: write `groupTool<Variables>()({ … })`, with the first parentheses empty',
    )
  }
  return <P extends Parameters, R>(definition: GroupToolDefinition<C, P, R>) =>
    tool(definition as unknown as ToolDefinition<P, R>)
}
