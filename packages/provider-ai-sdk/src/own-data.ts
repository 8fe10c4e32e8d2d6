import { isRecord } from '@x/provider-kit'
import type { Part } from './model-types.ts'

/**
 * Data that goes back to the same model with a message: parts that only the model can read, the metadata of texts and calls,
 * and their places.
 */
export interface OwnData {
  /** Provider and name of the model. */
  readonly model: string
  readonly places: readonly Place[]
}

/** An opaque part of a prompt, the length of a piece of text, or the next call; with the options that go back with it. */
export type Place =
  | { readonly opaque: Part }
  | { readonly text: number; readonly options?: unknown }
  | { readonly call: true; readonly options?: unknown }

/** Reads own data of a message; undefined for data of another form. */
export function readOwnData(own: unknown): OwnData | undefined {
  if (!isRecord(own) || typeof own['model'] !== 'string' || !Array.isArray(own['places'])) return undefined
  return own as unknown as OwnData
}

/** Restores the parts of an answer in their order; changed texts or calls come behind the opaque parts. */
export function partsInOrder({ places }: OwnData, texts: readonly Part[], calls: readonly Part[]): Part[] {
  const whole = texts.length === 1 ? String(texts[0]!['text']) : ''
  const length = places.reduce((sum, place) => sum + ('text' in place ? place.text : 0), 0)
  const isUnchanged = length === whole.length && places.filter((place) => 'call' in place).length === calls.length
  if (!isUnchanged)
    return [...places.flatMap((place) => ('opaque' in place ? [revived(place.opaque)] : [])), ...texts, ...calls]
  let at = 0
  let call = 0
  return places.flatMap((place): Part[] => {
    if ('opaque' in place) return [revived(place.opaque)]
    if ('call' in place) return [withOptions(calls[call++]!, place.options)]
    const text = whole.slice(at, (at += place.text))
    return text.trim() === '' ? [] : [withOptions({ type: 'text', text }, place.options)]
  })
}

/** Returns an opaque part with the URL of its file, which is stored as a text. */
function revived(part: Part): Part {
  const { data } = part
  if (!isRecord(data) || data['type'] !== 'url') return part
  const url = String(data['url'])
  return URL.canParse(url) ? { ...part, data: { type: 'url', url: new URL(url) } } : part
}

/** Adds the options of a part that goes back. */
export const withOptions = <P extends Part>(part: P, options: unknown): P =>
  isRecord(options) ? { ...part, providerOptions: options } : part
