import { isRecord } from '@x/provider-kit'
import type { Block } from './wire-types.ts'

/**
 * Data that goes back to the provider with a message: the blocks that only the provider can read (thinking with its
 * signature, uses of its tools), and the places of text and calls between them.
 */
export interface OwnData {
  readonly blocks: readonly OwnBlock[]
  /** Names of the model that thought: as requested, and as answered. */
  readonly models?: readonly string[] | undefined
  /** Whether the provider interrupted the turn and continues it when it comes back. */
  readonly paused?: boolean | undefined
  /** Id of the container in which code of the turn runs. */
  readonly container?: string | undefined
}

/** An opaque block, the length of a piece of text, or the next call. */
export type OwnBlock = { readonly opaque: Block } | OwnText | OwnCall

/** The next call, with the fields that have to come back: who called, if it was code in the container. */
export interface OwnCall {
  readonly call: true
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** A piece of text, with the citations that have to come back. */
export interface OwnText {
  readonly text: number
  readonly citations?: readonly object[] | undefined
}

/** Returns the name of a model without path, vendor, date and version, which differ between hosts. */
export function baseName(model: string): string {
  const vendorEnd = model.lastIndexOf(VENDOR) + VENDOR.length
  const start = Math.max(model.lastIndexOf('/') + 1, model.includes(VENDOR) ? vendorEnd : 0)
  const bare = model.slice(start)
  const tag = bare.search(/[:@]/u)
  let name = tag === -1 ? bare : bare.slice(0, tag)
  // Each part is taken from the end: one expression for all of them would try every combination.
  for (let before = ''; before !== name;) {
    before = name
    name = withoutLastPart(name)
  }
  return name
}

const VENDOR = 'anthropic.'
const LATEST = '-latest'

function withoutLastPart(name: string): string {
  if (name.endsWith(LATEST)) return name.slice(0, -LATEST.length)
  let digits = name.length
  while (digits > 0 && /\d/u.test(name[digits - 1]!)) digits--
  const count = name.length - digits
  if (count === 8 && name[digits - 1] === '-') return name.slice(0, digits - 1)
  return count > 0 && name.slice(0, digits).endsWith('-v') ? name.slice(0, digits - 2) : name
}

/** Leaves out the thinking of another model, which only that model can read. */
export function readableBy(model: string, own: unknown, warn: (topic: string, text: string) => void): unknown {
  if (!isRecord(own) || !Array.isArray(own['blocks']) || !Array.isArray(own['models'])) return own
  const models = own['models'] as readonly string[]
  if (models.includes(baseName(model))) return own
  const blocks = (own['blocks'] as readonly OwnBlock[]).filter(
    (place) => !('opaque' in place && isThinking(place.opaque)),
  )
  if (blocks.length === own['blocks'].length) return own
  warn('reasoning', `reasoning of \`${models[0]}\` was left out: \`${model}\` cannot read it`)
  return { ...own, blocks }
}

/** Tells whether a block is thinking, readable or not. */
export const isThinking = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking'

/** Restores the blocks of a stored message; changed text or calls come behind the opaque blocks. */
export function blocksOf(own: unknown, texts: readonly Block[], calls: readonly Block[]): Block[] {
  if (!isRecord(own) || !Array.isArray(own['blocks'])) return [...texts, ...calls]
  const places = own['blocks'] as readonly OwnBlock[]
  const whole = texts.length === 1 ? (texts[0]!['text'] as string) : ''
  const length = places.reduce((sum, place) => sum + ('text' in place ? place.text : 0), 0)
  const ownCalls = places.filter((place) => 'call' in place)
  const isSameCalls = ownCalls.length === calls.length
  const wholeCalls = isSameCalls ? calls.map((call, n): Block => ({ ...call, ...ownCalls[n]!.fields })) : calls
  if (!isSameCalls || length !== whole.length) {
    const opaque = places.flatMap((place) => ('opaque' in place ? [place.opaque] : []))
    // Code waits for its calls as they were.
    return [...(isSameCalls ? opaque : withoutOpenUses(opaque)), ...texts, ...wholeCalls]
  }
  let at = 0
  let call = 0
  const out = places.flatMap((place): Block[] => {
    if ('opaque' in place) return [place.opaque]
    if ('call' in place) return [wholeCalls[call++]!]
    const piece = whole.slice(at, (at += place.text))
    return piece.trim() === ''
      ? []
      : [{ type: 'text', text: piece, ...(place.citations && { citations: place.citations }) }]
  })
  return callsLast(out)
}

/** Moves calls behind texts, as the provider demands, but never across an opaque block. */
function callsLast(blocks: readonly Block[]): Block[] {
  const out: Block[] = []
  let calls: Block[] = []
  for (const block of blocks) {
    if (block.type === 'tool_use') calls.push(block)
    else {
      if (block.type !== 'text') {
        out.push(...calls)
        calls = []
      }
      out.push(block)
    }
  }
  return [...out, ...calls]
}

/** Types of uses of tools of the provider. */
const USE_TYPES: ReadonlySet<string> = new Set(['server_tool_use', 'mcp_tool_use'])

/** Leaves out uses of tools of the provider without a result among the blocks. */
function withoutOpenUses(blocks: readonly Block[]): Block[] {
  const results = new Set(blocks.map((block) => block['tool_use_id']))
  return blocks.filter(({ type, id }) => !USE_TYPES.has(type) || results.has(id))
}

/** Returns the id of the use of a tool of the provider whose code made a call; undefined for a call of the model. */
function callerOf({ caller }: Block): unknown {
  return isRecord(caller) ? caller['tool_id'] : undefined
}

interface OwnTurn {
  readonly role: string
  readonly content: readonly Block[]
}

/**
 * Finds the provider's own tool uses that wait at the end of a conversation: in a paused turn, or in a turn that only
 * results of the caller's tools follow. The provider runs them, or their code goes on, with the next answer.
 */
export function pendingUses(turns: readonly OwnTurn[], isPaused: boolean): ReadonlySet<unknown> {
  const at = turns.findLastIndex(({ role }) => role === 'assistant')
  const isWaiting =
    at === turns.length - 1
      ? isPaused
      : turns.slice(at + 1).every(({ content }) => content.every(({ type }) => type === 'tool_result'))
  if (at === -1 || !isWaiting) return new Set()
  return new Set(
    turns[at]!.content.flatMap((block) => (USE_TYPES.has(block.type) ? [block['id']] : [callerOf(block)])).filter(
      (id) => id !== undefined,
    ),
  )
}

/**
 * Leaves out uses of tools of the provider that neither have a result nor wait for one, and results without their use. A call
 * of code whose use is gone becomes a call of the model.
 */
export function withPairedUses<T extends OwnTurn>(
  turns: readonly T[],
  pending: ReadonlySet<unknown>,
  warn: (topic: string, text: string) => void,
): T[] {
  const blocks = turns.flatMap(({ role, content }) => (role === 'assistant' ? content : []))
  if (blocks.every((block) => !isPart(block))) return [...turns]
  const kept = pairedPlaces(blocks, pending)
  const uses = new Set([...kept].flatMap((at) => (USE_TYPES.has(blocks[at]!.type) ? [blocks[at]!['id']] : [])))
  let place = -1
  const pair = (block: Block): Block[] => {
    place++
    if (USE_TYPES.has(block.type) || block['tool_use_id'] !== undefined) return kept.has(place) ? [block] : []
    const caller = callerOf(block)
    if (caller === undefined || uses.has(caller)) return [block]
    warn('tool_use', 'calls that code made were sent as calls of the model: the code cannot go on')
    const { caller: _, ...direct } = block
    return [direct]
  }
  return turns.map((turn) => (turn.role === 'assistant' ? { ...turn, content: turn.content.flatMap(pair) } : turn))
}

/** Tells a use of a tool of the provider, its result, or a call of its code. */
const isPart = (block: Block): boolean =>
  USE_TYPES.has(block.type) || block['tool_use_id'] !== undefined || callerOf(block) !== undefined

/** Returns the places of uses of tools of the provider with a result behind them, of their results, and of the latest uses that wait. */
function pairedPlaces(blocks: readonly Block[], pending: ReadonlySet<unknown>): ReadonlySet<number> {
  const kept = new Set<number>()
  const open = new Map<unknown, number>()
  for (const [at, { type, id, tool_use_id: of }] of blocks.entries()) {
    if (USE_TYPES.has(type)) open.set(id, at)
    const use = of === undefined ? undefined : open.get(of)
    if (use === undefined) continue
    open.delete(of)
    kept.add(use).add(at)
  }
  for (const [id, use] of open) if (pending.has(id)) kept.add(use)
  return kept
}
