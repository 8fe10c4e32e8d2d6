import type { JsonSchema } from '@x/interfaces'

/** An argument of a pending tool call, as a field of a form. */
export interface ApprovalField {
  readonly name: string
  /** Description of the argument in the schema of the tool. */
  readonly hint?: string | undefined
  /** `list`: a text for each line; `json`: anything else, as JSON text. */
  readonly type: 'text' | 'number' | 'flag' | 'choice' | 'list' | 'json'
  /** Initial value of the field. */
  readonly value: string | boolean
  /** Values of a field of type `choice`. */
  readonly choices?: readonly string[] | undefined
  /** True if an empty field is sent as an argument; other empty fields are left out. */
  readonly required: boolean
}

/** Signs that a box does not show as they are: controls, and those that turn the direction of words or take no room. Emoji have joiners. */
const UNSEEN = /[[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\ufe0e-\ufe0f\t\n\u200c-\u200d]]/v

/** Makes a form of the arguments of a call, and of further arguments in the schema of its tool. */
export function approvalFields(
  args: Readonly<Record<string, unknown>>,
  parameters: JsonSchema | undefined,
): ApprovalField[] {
  const { properties = {}, required = [] } = (parameters ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  }
  const names = new Set([...Object.keys(properties), ...Object.keys(args)])
  return [...names].map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    const hint = schemaPart(schema, 'description')
    return {
      name,
      ...(typeof hint === 'string' && { hint }),
      ...control(value, schema),
      required: Object.hasOwn(args, name) || required.includes(name),
    }
  })
}

function control(value: unknown, schema: JsonSchema | undefined): Pick<ApprovalField, 'type' | 'value' | 'choices'> {
  const choices = schemaPart(schema, 'enum')
  const type = schemaPart(schema, 'type') ?? (value === null ? undefined : typeof value)
  const text = typeof value === 'string' ? value : ''
  if (isTexts(choices) && (value === undefined || choices.includes(text))) {
    return { type: 'choice', choices, value: text }
  }
  if (type === 'string' && (value === undefined || typeof value === 'string') && !UNSEEN.test(text)) {
    return { type: 'text', value: text }
  }
  if ((type === 'number' || type === 'integer') && (value === undefined || typeof value === 'number')) {
    return { type: 'number', value: value === undefined ? '' : String(value) }
  }
  if (type === 'boolean' && (value === undefined || typeof value === 'boolean')) {
    return { type: 'flag', value: value === true }
  }
  // A list in a box has no blank lines: they would be lost.
  if (isTexts(value) && value.every((each) => each.trim() !== '' && !each.includes('\n') && !UNSEEN.test(each)))
    return { type: 'list', value: value.join('\n') }
  return { type: 'json', value: value === undefined ? '' : visibleJson(value) }
}

/** Writes JSON in which nothing is unseen. */
function visibleJson(value: unknown): string {
  const escaped = (sign: string): string =>
    sign.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return JSON.stringify(value, null, 2).replaceAll(new RegExp(UNSEEN, 'gv'), escaped)
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

const schemaPart = (schema: JsonSchema | undefined, part: string): unknown =>
  typeof schema === 'object' && schema !== null ? (schema as Readonly<Record<string, unknown>>)[part] : undefined
