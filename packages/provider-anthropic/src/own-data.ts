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
}

/** An opaque block, the length of a piece of text, or the next call. */
export type OwnBlock = { readonly opaque: Block } | OwnText | { readonly call: true }

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
  const isUnchanged = length === whole.length && places.filter((place) => 'call' in place).length === calls.length
  if (!isUnchanged) {
    const opaque = places.flatMap((place) => ('opaque' in place ? [place.opaque] : []))
    return [...opaque, ...texts, ...calls]
  }
  let at = 0
  let call = 0
  const out = places.flatMap((place): Block[] => {
    if ('opaque' in place) return [place.opaque]
    if ('call' in place) return [calls[call++]!]
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
