import { Validator } from '@cfworker/json-schema'
import type { JsonSchema, ToolIssue } from '@x/interfaces'

/** Makes the check of arguments against a JSON Schema; it generates no code. Made when it is first needed. */
export function validatorFor(schema: JsonSchema): (args: unknown) => { value: unknown } | { issues: ToolIssue[] } {
  let validator: Validator | undefined
  return (args) => {
    validator ??= new Validator(schema, '2020-12', false)
    const { valid, errors } = validator.validate(args)
    if (valid) return { value: args }
    return {
      issues: errors
        .filter(isLeaf)
        .map(({ instanceLocation, error }) => ({ path: pathOf(instanceLocation), message: error })),
    }
  }
}

/** Errors of these keywords only say that one below them failed. */
const GROUPS: ReadonlySet<string> = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf'])

const isLeaf = ({ keyword }: { keyword: string }): boolean => !GROUPS.has(keyword)

/** `#/a/0` as a path. */
function pathOf(location: string): (string | number)[] {
  return location
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part.replaceAll('~1', '/').replaceAll('~0', '~')))
    .map((part) => (/^\d+$/u.test(part) ? Number(part) : part))
}
