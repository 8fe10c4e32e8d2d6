import { isFacts, type Facts, type TraceValue } from './trace.ts'

/**
 * Whether a text is ours where the recording stands for one of the reference's: `{ $prompt, roles?, agents? }`, with the
 * lines and the list of names that it was filled with.
 */
export function sameWording(recorded: Facts, seen: string, wordings: Readonly<Record<string, string>>): boolean {
  const { $prompt: name, roles, agents, ...others } = recorded
  const template = wordings[name as string]
  if (template === undefined || Object.keys(others).length > 0) return false
  const pattern = template
    .split(/(\{roles\}|\{agentlist\})/u)
    .map((part) => {
      if (part === '{roles}') return rolesPattern(roles)
      return part === '{agentlist}' ? listPattern(agents) : escaped(part)
    })
    .join('')
  const isFilled = template.includes('{roles}') === (roles !== undefined)
  const isListed = template.includes('{agentlist}') === (agents !== undefined)
  return isFilled && isListed && new RegExp(`^${pattern}$`, 'u').test(seen)
}

/** One line for each pair of a name and a description, which may be any text. */
const rolesPattern = (roles: TraceValue | undefined): string =>
  ((roles ?? []) as readonly (readonly [string, TraceValue])[])
    .map(([name, description]) =>
      isFacts(description) && description['$default'] === 'system_message'
        ? `${escaped(`${name}: `)}[^]*`
        : escaped(`${name}: ${description as string}`.trim()),
    )
    .join('\n')

const listPattern = (agents: TraceValue | undefined): string =>
  escaped(`[${((agents ?? []) as readonly string[]).map((name) => `'${name}'`).join(', ')}]`)

const escaped = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`)
