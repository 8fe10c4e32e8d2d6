import { isRecord } from '@x/provider-kit'

/** A part as the provider takes it. */
export type Part = Record<string, unknown>

/** Data that goes back to Google with a message: places of signatures, and opaque parts. */
export interface OwnData {
  readonly parts: readonly OwnPart[]
  /** Names of the model that signed: as requested, and as answered. */
  readonly models?: readonly string[] | undefined
}

/** The length of a piece of text, the next call, or an opaque part. */
export type OwnPart =
  | { readonly text: number; thoughtSignature?: string }
  | { readonly call: true; thoughtSignature?: string }
  | { readonly opaque: Part }

/** Returns the name of a model without path and version. */
export const baseName = (model: string): string => model.slice(model.lastIndexOf('/') + 1).replace(/-\d{3}$/u, '')

/** Tells whether the stored parts of a message hold images that the model made. */
export const hasImages = (own: unknown): boolean =>
  isRecord(own) &&
  Array.isArray(own['parts']) &&
  (own['parts'] as readonly OwnPart[]).some((place) => 'opaque' in place && 'inlineData' in place.opaque)

/** Leaves out the signatures of another model, which only that model can read. */
export function readableBy(model: string, own: unknown, warn: (topic: string, text: string) => void): unknown {
  if (!isRecord(own) || !Array.isArray(own['parts']) || !Array.isArray(own['models'])) return own
  const models = own['models'] as readonly string[]
  if (models.includes(baseName(model))) return own
  warn('reasoning', `signatures of \`${models[0]}\` were left out: \`${model}\` cannot read them`)
  return { parts: (own['parts'] as readonly OwnPart[]).flatMap(withoutSignature) }
}

function withoutSignature(place: OwnPart): OwnPart[] {
  if (!('opaque' in place)) {
    const { thoughtSignature: _, ...rest } = place
    return [rest]
  }
  const { thoughtSignature: _, ...opaque } = place.opaque
  return opaque['thought'] === true ? [] : [{ opaque }]
}

/** Restores the parts of a stored message; changed text comes without its signature. */
export function partsOf(own: unknown, texts: readonly Part[], calls: readonly Part[]): Part[] {
  if (!isRecord(own) || !Array.isArray(own['parts'])) return [...texts, ...calls]
  const places = own['parts'] as readonly OwnPart[]
  const whole = texts.length === 1 ? (texts[0]!['text'] as string) : ''
  const length = places.reduce((sum, place) => sum + ('text' in place ? place.text : 0), 0)
  const isSameText = length === whole.length
  const isSameCalls = places.filter((place) => 'call' in place).length === calls.length
  let at = 0
  let call = 0
  const out: Part[] = isSameText ? [] : [...texts]
  for (const place of places) {
    if ('opaque' in place) out.push(place.opaque)
    else if ('call' in place) {
      if (isSameCalls) out.push(withSignature(calls[call++]!, place))
    } else if (isSameText) {
      const text = whole.slice(at, (at += place.text))
      if (text !== '' || place.thoughtSignature !== undefined) out.push(withSignature({ text }, place))
    }
  }
  return isSameCalls ? out : [...out, ...calls]
}

const withSignature = (part: Part, { thoughtSignature }: { thoughtSignature?: string }): Part =>
  thoughtSignature === undefined ? part : { ...part, thoughtSignature }
