import { vendorOf, type CheckedParams, type LowerContext } from '@x/provider-kit'
import type { NamedProfile } from './endpoint-profile.ts'

/** Endpoints that hand requests on to models of any vendor. */
const GATEWAYS: ReadonlySet<string> = new Set(['openrouter', 'compatible'])

/** Returns parameters whose function tools have no fields that another vendor invented, unless the endpoint is a gateway. */
export function withOwnTools(params: CheckedParams, { name }: NamedProfile, warn: LowerContext['warn']): CheckedParams {
  const { tools } = params
  if (GATEWAYS.has(name) || !tools.some(hasForeign)) return params
  const clean = <T extends object>(fields: T): T => {
    const kept = Object.entries(fields).filter(([field]) => {
      const vendor = vendorOf(field, 'tool')
      if (vendor) warn('tools', `the field \`${field}\` of tools was left out: only \`${vendor}\` knows it`)
      return vendor === undefined
    })
    return Object.fromEntries(kept) as T
  }
  const own = tools.map((tool) =>
    tool.function && hasForeign(tool) ? { ...clean(tool), function: clean(tool.function) } : tool,
  )
  return { ...params, tools: own }
}

const hasForeign = ({ function: declared, ...fields }: CheckedParams['tools'][number]): boolean =>
  declared !== undefined &&
  [...Object.keys(fields), ...Object.keys(declared)].some((field) => vendorOf(field, 'tool') !== undefined)
