import type { ChatMessage } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { CheckedParams } from './read-params.ts'

/** Identifiers that a provider takes: ids of calls, or names of tools. */
export interface IdentifierRule {
  readonly maxLength: number
  /** Default 1; where it equals `maxLength`, ids are letters and digits. */
  readonly minLength?: number | undefined
  /** Matches each character that is not allowed; global. */
  readonly forbidden: RegExp
}

/**
 * Makes a function that returns legal ids: the same for the same id, never the same for two. Legal ids among `ids` keep
 * their form. It throws `invalid-argument` where the rule leaves none.
 */
export function createIdMap(rule: IdentifierRule, ids: readonly string[] = []): (id: string) => string {
  const { maxLength, minLength = 1, forbidden } = rule
  const isLegal = (id: string): boolean =>
    id.length >= minLength && id.length <= maxLength && id.search(forbidden) === -1
  const kept = new Set<string>()
  for (const id of ids) if (!kept.has(id) && isLegal(id)) kept.add(id)
  const made = new Map<string, string>()
  const taken = new Set<string>()
  return (id) => {
    if (kept.has(id)) return id
    const known = made.get(id)
    if (known !== undefined) return known
    const isExact = minLength === maxLength
    let legal = isExact ? withLegalSigns(id, forbidden) : id
    for (let n = 1; !isLegal(legal) || kept.has(legal) || taken.has(legal); n++) {
      if (n > MAX_FORMS) throw noneLeft(rule)
      legal = isExact ? exactForm(`${n}/${id}`, rule) : markedForm(id, rule, n)
    }
    made.set(id, legal)
    taken.add(legal)
    return legal
  }
}

/** Forms that are tried for an id: with a rule that many ids can keep to, the first is nearly always free. */
const MAX_FORMS = 1000

const noneLeft = ({ minLength = 1, maxLength, forbidden }: IdentifierRule): XError =>
  new XError(
    'invalid-argument',
    `no further identifier has ${minLength} to ${maxLength} characters and none of \`${forbidden.source}\`: widen the rule`,
  )

/** Returns some letters and digits that depend on every character of a text. */
function exactForm(text: string, { maxLength, forbidden }: IdentifierRule): string {
  let out = ''
  for (let n = 0; out.length < maxLength; n++) out += fingerprint(`${n}/${text}`)
  return withLegalSigns(out.slice(0, maxLength), forbidden, true)
}

/** Returns the beginning of a text with a mark that depends on every character of it; each `n` makes another one. */
function markedForm(text: string, { maxLength, forbidden }: IdentifierRule, n: number): string {
  const print = fingerprint(n === 1 ? text : `${n}/${text}`)
  const mark = withLegalSigns(`_${print}`, forbidden, true).slice(-maxLength)
  return withLegalSigns(text, forbidden).slice(0, maxLength - mark.length) + mark
}

/** Signs that stand for forbidden ones: the first that a rule allows. */
const SIGNS = '_abcdefghijklmnopqrstuvwxyz0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')

/** Replaces forbidden characters by a legal one; with `spread` by various ones, so that different texts stay different. */
function withLegalSigns(text: string, forbidden: RegExp, spread: boolean = false): string {
  if (text.search(forbidden) === -1) return text
  const legal = SIGNS.filter((sign) => sign.search(forbidden) === -1)
  return text.replaceAll(forbidden, (sign) => legal[spread ? sign.codePointAt(0)! % legal.length : 0] ?? '')
}

/** Lists the ids of the calls and results of a conversation. */
export function idsOf(messages: readonly ChatMessage[]): string[] {
  const ids: string[] = []
  for (const { tool_calls: calls, tool_call_id: result } of messages) {
    if (calls) for (const { id } of calls) if (id !== undefined) ids.push(id)
    if (result !== undefined) ids.push(result)
  }
  return ids
}

/** Returns eight letters and digits that depend on every character of a text (FNV-1a, twice 32 bits, cut). */
export function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b)
  }
  return ((a >>> 0).toString(36) + (b >>> 0).toString(36)).padStart(8, '0').slice(-8)
}

/** Converts names of tools to those that a provider takes, and back. */
export interface NameMap {
  /** Returns the legal name for one of ours. */
  to(name: string): string
  /** Returns our name for a legal one; the same name if it was not renamed. */
  from(name: string): string
}

/** Makes a map for the tools of one request; legal names stay, and two names never become one. */
export function createNameMap(names: readonly string[], rule: IdentifierRule): NameMap {
  const toLegal = createIdMap(rule, names)
  const renamed = new Map<string, string>()
  return {
    to(name) {
      const legal = toLegal(name)
      if (legal !== name) renamed.set(legal, name)
      return legal
    },
    from: (name) => renamed.get(name) ?? name,
  }
}

/** The names of the tools of one request, as `createNameMap` makes them, when the first is asked for: most requests have none. */
export class RequestNames implements NameMap {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: RequestNames = new RequestNames({ messages: [], tools: [] }, {} as IdentifierRule)
  readonly #request: Pick<CheckedParams, 'tools' | 'messages'>
  readonly #rule: IdentifierRule
  #map: NameMap | undefined

  constructor(request: Pick<CheckedParams, 'tools' | 'messages'>, rule: IdentifierRule) {
    this.#request = request
    this.#rule = rule
  }

  to(name: string): string {
    return this.#names.to(name)
  }

  from(name: string): string {
    return this.#names.from(name)
  }

  get #names(): NameMap {
    return (this.#map ??= createNameMap(toolNamesOf(this.#request), this.#rule))
  }
}

/** Lists the names of all tools that a request and its history mention. */
function toolNamesOf({ tools, messages }: Pick<CheckedParams, 'tools' | 'messages'>): string[] {
  const names = tools.flatMap((tool) => tool.function?.name ?? [])
  // Every request searches the whole history, of which most messages call nothing.
  for (const { tool_calls: calls, function_call: call } of messages) {
    if (calls) for (const { function: called } of calls) if (called?.name) names.push(called.name)
    if (call?.name) names.push(call.name)
  }
  return names
}
