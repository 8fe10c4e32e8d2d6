import { isRecord, listOf, parseJson } from '../json/wire-values.ts'
import type { Resolve, Schema } from './merge-schemas.ts'
import { fits, looksLike } from './tell-apart.ts'

/** A value in two forms: as the program has it, and as it is sent. A value of neither form stays as it is. */
export interface Form {
  /** Returns the form in which a value is sent. */
  encode(value: unknown): unknown
  /** Returns the form of the program. */
  decode(value: unknown): unknown
}

/** Returns a value in its other form; one without a form stays as it is. */
export const recoded = (form: Form | undefined, way: keyof Form, value: unknown): unknown =>
  form ? form[way](value) : value

/** Makes a form whose two ways do the same. */
export const sameBothWays = (recode: (value: unknown, way: keyof Form) => unknown): Form => ({
  encode: (value) => recode(value, 'encode'),
  decode: (value) => recode(value, 'decode'),
})

/** A value that is sent as JSON text. */
export const JSON_TEXT_FORM: Form = {
  encode: (value) => JSON.stringify(value),
  // A model may give a text that it should have quoted.
  decode(value) {
    const parsed = typeof value === 'string' ? parseJson(value) : undefined
    return parsed === undefined ? value : parsed
  },
}

/** Values of an enumeration that are sent as texts. */
export function textsForm(values: ReadonlyMap<string, unknown>): Form {
  const texts = new Map([...values].map(([text, value]) => [JSON.stringify(value), text]))
  return {
    encode: (value) => texts.get(JSON.stringify(value)) ?? value,
    decode: (value) => (typeof value === 'string' && values.has(value) ? values.get(value) : value),
  }
}

/** A list that is sent as a list: its first items have forms of their own, the others that of `rest`. */
export const listForm = (items: readonly (Form | undefined)[], rest: Form | undefined): Form =>
  sameBothWays((value, way) =>
    Array.isArray(value)
      ? value.map((item: unknown, at) => recoded(at < items.length ? items[at] : rest, way, item))
      : value,
  )

/** A tuple that is sent as an object: its items by number, further ones in a list. */
export function tupleForm(
  items: readonly PropertyForm[],
  rest: { readonly key: string; readonly form: Form | undefined } | undefined,
): Form {
  const object = objectForm(new Map(items.map((form, at) => [String(at), form])))
  return {
    encode(value) {
      if (!Array.isArray(value)) return value
      const first = Object.fromEntries(value.slice(0, items.length).map((each: unknown, at) => [String(at), each]))
      const further = value.slice(items.length).map((each: unknown) => recoded(rest?.form, 'encode', each))
      return { ...(object.encode(first) as object), ...(rest && { [rest.key]: further }) }
    },
    decode(value) {
      if (!isRecord(value)) return value
      const first = object.decode(value) as Record<string, unknown>
      const out: unknown[] = []
      for (let at = 0; at < items.length && Object.hasOwn(first, at); at++) out.push(first[at])
      const further = rest ? listOf(value[rest.key]) : []
      for (const each of further) out.push(recoded(rest?.form, 'decode', each))
      return out
    },
  }
}

/** A property as it is sent. */
export interface PropertyForm {
  readonly form: Form | undefined
  /**
   * Value that stands for an absent property: null, a null that the property may have itself, or a list without items, where the
   * value is the item of a list.
   */
  readonly absent?: 'null' | 'own-null' | 'empty-list' | undefined
}

/** Properties of further names as they are sent: each by itself, or as a list of `key` and `value` in a property. */
export interface RestForm {
  readonly key: string | undefined
  readonly form: Form | undefined
}

/** An object with declared properties and maybe others. */
export function objectForm(properties: ReadonlyMap<string, PropertyForm>, rest?: RestForm): Form {
  return {
    encode(value) {
      if (!isRecord(value)) return value
      const out: [string, unknown][] = []
      for (const [name, { form, absent }] of properties) {
        const isThere = Object.hasOwn(value, name)
        const sent = isThere ? recoded(form, 'encode', value[name]) : undefined
        if (absent === 'empty-list') out.push([name, isThere ? [sent] : []])
        else if (isThere || absent !== undefined) out.push([name, isThere ? sent : null])
      }
      const others = Object.keys(value).filter((name) => !properties.has(name))
      const pairs = others.map((key) => ({ key, value: recoded(rest?.form, 'encode', value[key]) }))
      if (rest?.key !== undefined) out.push([rest.key, pairs])
      else out.push(...pairs.map(({ key, value: sent }): [string, unknown] => [key, sent]))
      return Object.fromEntries(out)
    },
    decode(value) {
      if (!isRecord(value)) return value
      const out = rest?.key === undefined ? [] : entriesOf(value[rest.key], rest.form)
      for (const [name, sent] of Object.entries(value)) {
        if (rest?.key === name) continue
        const { form, absent } = properties.get(name) ?? { form: rest?.key === undefined ? rest?.form : undefined }
        if (absent === 'null' && sent === null) continue
        const items = absent === 'empty-list' && Array.isArray(sent) ? (sent as unknown[]) : [sent]
        if (items.length > 0) out.push([name, recoded(form, 'decode', items[0])])
      }
      return Object.fromEntries(out)
    },
  }
}

/** An object with free names that is sent as a list of `key` and `value`. */
export const recordForm = (form: Form | undefined): Form => ({
  encode(value) {
    if (!isRecord(value)) return value
    return Object.entries(value).map(([key, each]) => ({ key, value: recoded(form, 'encode', each) }))
  },
  decode: (value) => (Array.isArray(value) ? Object.fromEntries(entriesOf(value, form)) : value),
})

/** Reads a list of `key` and `value`; the last one of equal keys holds. */
function entriesOf(pairs: unknown, form: Form | undefined): [string, unknown][] {
  return listOf(pairs).flatMap((pair): [string, unknown][] => {
    if (!isRecord(pair) || typeof pair['key'] !== 'string' || pair['key'] === '__proto__') return []
    return [[pair['key'], recoded(form, 'decode', pair['value'])]]
  })
}

/** A value that is sent as the only property of an object. */
export const wrappedForm = (key: string, form: Form | undefined): Form => ({
  encode: (value) => ({ [key]: recoded(form, 'encode', value) }),
  decode(value) {
    return isRecord(value) && Object.hasOwn(value, key) ? recoded(form, 'decode', value[key]) : value
  },
})

/** One of several alternatives. */
export interface OptionForm {
  /** Schema of the values in the form of the program. */
  readonly source: unknown
  readonly sent: Schema
  readonly form: Form | undefined
}

/** Alternatives, which can be told apart by the type, the names and the fixed values of what is sent. */
export const unionForm = (options: readonly OptionForm[], resolve: Resolve, resolveSent: Resolve): Form => ({
  encode: (value) => recoded(options.find(({ source }) => fits(source, value, resolve))?.form, 'encode', value),
  decode: (value) => recoded(options.find(({ sent }) => looksLike(sent, value, resolveSent))?.form, 'decode', value),
})
