import type { EventBody, JsonSchema, ToolIssue, XEvent } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { nearestName } from '@x/kernel/options'
import { issuesText, validation } from '@x/kernel/schema'
import { type InputOf, isStandardSchema, type OutputOf, type Parameters } from '../data/parameters.ts'

type CustomEvent = Extract<XEvent, { type: 'custom' }>
type CustomBody = Extract<EventBody, { type: 'custom' }>

/** The data of each event by its name, as the program gives it and as readers get it. */
interface DataByName {
  readonly given: object
  readonly sent: object
}

type NameOf<D extends DataByName> = keyof D['given'] & keyof D['sent'] & string

type DataOf<D extends DataByName, N extends NameOf<D>> = D['sent'][N]

/** Events of a program's own. */
interface CustomEvents<D extends DataByName> {
  /**
   * Makes an event for `run.emit`. Data that do not fit the schema of the event are refused with `invalid-argument`; the
   * event has the data as the schema gives them.
   */
  event<N extends NameOf<D>>(name: N, data: D['given'][N]): CustomBody & { name: N; data: DataOf<D, N> }
  /** Tells whether an event is one of these, by its name. One whose content was left out is none, since it has no data. */
  is<N extends NameOf<D>>(event: XEvent, name: N): event is CustomEvent & { name: N; data: DataOf<D, N> }
  is(event: XEvent): event is { [N in NameOf<D>]: CustomEvent & { name: N; data: DataOf<D, N> } }[NameOf<D>]
}

type Schemas = Readonly<Record<string, Parameters | null>>

/** The data of events with these schemas; with null for a schema, the data may be any plain JSON. */
interface DataBySchema<S extends Schemas> {
  readonly given: { readonly [N in keyof S]: S[N] extends Parameters ? InputOf<S[N]> : unknown }
  readonly sent: { readonly [N in keyof S]: S[N] extends Parameters ? OutputOf<S[N]> : unknown }
}

/**
 * Declares the events of a program's own, each name with the schema of its data: zod, any other Standard Schema, JSON Schema,
 * or null for none. Without an argument the type parameter alone declares them, and nothing is checked.
 */
export function customEvents<S extends Schemas>(schemas: S): CustomEvents<DataBySchema<S>>
export function customEvents<D extends object>(): CustomEvents<{ readonly given: D; readonly sent: D }>
export function customEvents(schemas?: Schemas): CustomEvents<DataBySchema<Schemas>> {
  const checks = schemas && new Map(Object.entries(schemas).map(([name, schema]) => [name, checkOf(name, schema)]))
  return Object.freeze<CustomEvents<DataBySchema<Schemas>>>({
    event(name, data) {
      if (!checks) return { type: 'custom', name, data }
      const check = checks.get(name)
      if (!check) throw unknownEvent(name, checks)
      const valid = check(data)
      if ('issues' in valid) throw unfit(name, `its data do not fit: ${issuesText(valid.issues)}`, valid)
      return { type: 'custom', name, data: valid.value }
    },
    is(event: XEvent, name?: string): event is never {
      if (event.type !== 'custom' || (name !== undefined && event.name !== name)) return false
      if (!checks) return true
      const check = checks.get(event.name)
      return check !== undefined && (event.data !== null || !('issues' in check(null)))
    },
  })
}

type Validity = { readonly value: unknown } | { readonly issues: readonly ToolIssue[] }

/** Returns the function that checks the data of an event and gives what is sent. */
function checkOf(name: string, schema: Parameters | null): (data: unknown) => Validity {
  if (schema === null) return (value) => ({ value })
  if ((typeof schema !== 'object' && typeof schema !== 'function') || Array.isArray(schema)) {
    throw new XError(
      'invalid-argument',
      `cannot declare the event \`${name}\`: its schema is no object; give a Standard Schema such as zod's, a JSON Schema, or null`,
      { details: { name } },
    )
  }
  const validate = validation(schema, isStandardSchema(schema) ? NO_JSON_SCHEMA : schema)
  return (data) => {
    const valid = validate(data)
    if (isThenable(valid)) throw unfit(name, 'its schema checks later; use one that checks at once')
    return valid
  }
}

const NO_JSON_SCHEMA: JsonSchema = {}

const unfit = (name: string, problem: string, details?: object): XError =>
  new XError('invalid-argument', `cannot make the event \`${name}\`: ${problem}`, { details: { name, ...details } })

function unknownEvent(name: string, known: ReadonlyMap<string, unknown>): XError {
  const names = [...known.keys()]
  const near = nearestName(name, names)
  const hint = near ? `did you mean \`${near}\`?` : `declared are ${names.map((each) => `\`${each}\``).join(', ')}`
  return unfit(name, `it is not declared; ${hint}`)
}
