import { hash } from './random.ts'

/** A method or a part of a search that says what it is made of, so that a journal knows when it has changed. */
export interface Fingerprinted {
  /** A name and the settings in short, such as `beam-1x2y3z`; without it nobody compares. */
  readonly fingerprint?: string | undefined
}

/** A part of a search that also says which model it asks. */
export interface FingerprintedPart extends Fingerprinted {
  /** Name of the model, or of several; a journal of another model is named in the warnings of a search. */
  readonly modelName?: string | undefined
}

/** Gives a value the fingerprint of a name and settings; functions among the settings count by their source. */
export function withFingerprint<T extends object>(value: T, name: string, settings: object): T & Fingerprinted {
  const text = JSON.stringify(settings, (_, field: unknown) => (typeof field === 'function' ? String(field) : field))
  return Object.assign(value, { fingerprint: `${name}-${hash(text).toString(36)}` })
}
