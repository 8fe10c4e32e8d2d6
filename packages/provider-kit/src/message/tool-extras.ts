import type { RequestTool } from './read-params.ts'

/** Fields of function tools that one vendor invented and others refuse. */
const VENDORS: Readonly<Record<string, string>> = {
  allowed_callers: 'anthropic',
  cache_control: 'anthropic',
  eager_input_streaming: 'anthropic',
  input_examples: 'anthropic',
  behavior: 'google',
  response: 'google',
  responseJsonSchema: 'google',
}

/** Fields that every adapter reads. */
const READ: ReadonlySet<string> = new Set('type function name description parameters strict'.split(' '))

/** Returns the vendor that invented a field of function tools; undefined for one that several know, or nobody here. */
export const toolFieldVendor = (field: string): string | undefined =>
  Object.hasOwn(VENDORS, field) ? VENDORS[field] : undefined

/**
 * Returns the further fields of a function tool, beside the function and in it, as one object; those of other vendors
 * than `own` are left out with a warning.
 */
export function toolExtras(
  tool: RequestTool,
  own: string,
  warn: (topic: string, text: string) => void,
): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  for (const [key, value] of [...Object.entries(tool), ...Object.entries(tool.function ?? {})]) {
    if (READ.has(key) || value === undefined) continue
    const vendor = toolFieldVendor(key)
    if (vendor === undefined || vendor === own) extras[key] = value
    else warn('tools', `the field \`${key}\` of tools was left out: only \`${vendor}\` knows it`)
  }
  return extras
}
