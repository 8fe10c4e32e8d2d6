import { hash } from './random.ts'
import { withSettings } from './told-settings.ts'

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

/** Adds the fingerprint of a name and settings to a value; functions among the settings count by their source text. */
export function withFingerprint<T extends object>(value: T, name: string, settings: object): T & Fingerprinted {
  const text = JSON.stringify(settings, (_, field: unknown) => (typeof field === 'function' ? String(field) : field))
  const told: unknown = JSON.parse(JSON.stringify(settings))
  return Object.assign(withSettings(value, told), { fingerprint: `${name}-${hash(text).toString(36)}` })
}
