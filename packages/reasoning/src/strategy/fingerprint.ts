import { hash } from './random.ts'

/** A method or a part of a search with a fingerprint, by which a journal detects a change. */
export interface Fingerprinted {
  /** The name and a hash of the settings, such as `beam-1x2y3z`; without it, nothing is compared. */
  readonly fingerprint?: string | undefined
}

/** A part of a search that also names its model. */
export interface FingerprintedPart extends Fingerprinted {
  /** Name of the model, or of several; a search warns of a journal of another model. */
  readonly modelName?: string | undefined
  /** Parameters of the requests to the model, without secrets; a replay of a recorded run compares them. */
  readonly requestSettings?: (() => unknown) | undefined
}

/** Key of the settings beside a fingerprint: a digest tells nobody what has changed. */
const SETTINGS: unique symbol = Symbol('settings')

/**
 * Adds the fingerprint of a name and settings to a value; functions among the settings count by their source text. A record is
 * told the settings without functions, or `told` in their place.
 */
export function withFingerprint<T extends object>(
  value: T,
  name: string,
  settings: object,
  told: unknown = JSON.parse(JSON.stringify(settings)),
): T & Fingerprinted {
  const text = JSON.stringify(settings, (_, field: unknown) => (typeof field === 'function' ? String(field) : field))
  return Object.assign(withSettings(value, told), { fingerprint: `${name}-${hash(text).toString(36)}` })
}

/** Notes the settings that a record is told of a method or part. */
export const withSettings = <T extends object>(value: T, told: unknown): T => Object.assign(value, { [SETTINGS]: told })

/** Returns the settings that a record is told of a method or part; undefined if there are none. */
export const settingsOf = (value: (object & { readonly [SETTINGS]?: unknown }) | undefined): unknown =>
  value?.[SETTINGS]
