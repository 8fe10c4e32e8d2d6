import { placesOfDifference, type RunTexts } from './normalize.ts'

/** The first difference between a recorded run and the run of a program now. */
export interface RunDifference {
  /** Place of the call, or id of the event's span, such as `1.3`; empty before the first chat. */
  readonly place: string
  /** Names of the agents whose replies lead there, outermost first; empty if they are not known. */
  readonly agentPath: readonly string[]
  /**
   * Path of the part that differs, such as `model.messages.0.content`, `tool.arguments.city` or `chatEnd.summary`: first the
   * kind of the call or the type of the event.
   */
  readonly path: string
  /** The recorded value; undefined if the record has none. Of properties of a schema in another order: their names. */
  readonly recorded: unknown
  /** The value now; undefined if there is none. */
  readonly now: unknown
}

/** A part in which two values differ. */
interface PartDifference {
  readonly path: string
  readonly recorded: unknown
  readonly now: unknown
}

/** Says of a path whether it may differ. */
export type MayDiffer = (path: string) => boolean

/** Compares plain data; a key with undefined counts as absent. Returns the first part that differs, or null. */
export function firstDifference(
  recorded: unknown,
  now: unknown,
  { path, texts, mayDiffer }: { readonly path: string; readonly texts: RunTexts; readonly mayDiffer: MayDiffer },
): PartDifference | null {
  if (recorded === now || mayDiffer(path)) return null
  if (typeof recorded === 'string' && typeof now === 'string' && texts.areSame(recorded, now)) return null
  if (typeof recorded === 'number' && typeof now === 'number' && mayBeTime(path) && texts.areTimes(recorded, now)) {
    return null
  }
  if (typeof recorded !== 'object' || typeof now !== 'object' || recorded === null || now === null) {
    return { path, recorded, now }
  }
  if (Array.isArray(recorded) !== Array.isArray(now)) return { path, recorded, now }
  for (const [key, other] of pairedKeys(recorded, now, texts)) {
    const [one, two] = [(recorded as Fields)[key], (now as Fields)[other]]
    const found = firstDifference(one, two, { path: path === '' ? key : `${path}.${key}`, texts, mayDiffer })
    if (found) return found
  }
  return isOrdered(path) ? orderDifference(path, [recorded, now], texts) : null
}

/** Paths inside what a config of a model would send beside the messages, in a question, a search, a request or a batch. */
const SETTINGS = /^(?:model|job|tool|tool\.requests\.\d+)\.settings\.\d+\.(?<name>[^.]+)/u

/** False for the parameters of a model, such as a seed; the schemas of its tools may have times. */
const mayBeTime = (path: string): boolean => (SETTINGS.exec(path)?.groups!['name'] ?? 'tools') === 'tools'

/**
 * True for the properties of a schema that a model was given: models write them in the order of the schema. A property may
 * itself be named `properties`.
 */
function isOrdered(path: string): boolean {
  if (!SETTINGS.test(path)) return false
  const parts = path.split('.')
  const isOther = (part: string): boolean => part !== 'properties'
  return (parts.length - 1 - parts.findLastIndex(isOther)) % 2 === 1
}

/** Compares the order of the keys that two objects share; the sides of a difference are these keys. */
function orderDifference(
  path: string,
  [recorded, now]: readonly [object, object],
  texts: RunTexts,
): PartDifference | null {
  const keys = Object.keys(now)
  const shared = [...pairedKeys(recorded, now, texts)].filter(
    ([key, other]) => (recorded as Fields)[key] !== undefined && (now as Fields)[other] !== undefined,
  )
  const inOrder = shared.toSorted(([, one], [, other]) => keys.indexOf(one) - keys.indexOf(other))
  if (shared.every((pair, index) => pair === inOrder[index])) return null
  return { path, recorded: shared.map(([key]) => key), now: inOrder.map(([, key]) => key) }
}

/** Pairs the keys of two objects: equal ones, and those that differ by identifiers and times, in their order. */
function* pairedKeys(recorded: object, now: object, texts: RunTexts): Generator<readonly [string, string]> {
  const added = Object.keys(now).filter((key) => !Object.hasOwn(recorded, key))
  for (const key of Object.keys(recorded)) {
    const index = Object.hasOwn(now, key) ? -1 : added.findIndex((each) => texts.areSame(key, each))
    yield [key, index === -1 ? key : added.splice(index, 1)[0]!]
  }
  for (const key of added) yield [key, key]
}

/** Returns the settings of a history without those that the record of an earlier release does not have. */
export function viewAsIn(recorded: unknown, now: unknown): unknown {
  const isEarlier = typeof recorded === 'object' && recorded !== null && !('views' in recorded)
  return isEarlier && typeof now === 'object' && now !== null
    ? { ...now, views: undefined, summarizer: undefined }
    : now
}

type Fields = Readonly<Record<string, unknown>>

/** Makes a test of paths from patterns: `model.settings.*.temperature`, where `*` stands for one part. A pattern covers what is inside. */
export function pathsOf(patterns: readonly string[]): MayDiffer {
  const all = patterns.map((pattern) => pattern.split('.'))
  return (path) => {
    if (all.length === 0) return false
    const parts = path.split('.')
    return all.some(
      (pattern) =>
        pattern.length <= parts.length && pattern.every((part, index) => part === '*' || part === parts[index]),
    )
  }
}

/** Most characters of a value in a message. */
const MAX_SHOWN_LENGTH = 300

/** Says in words what differs. */
export function describeDifference({ place, agentPath, path, recorded, now }: RunDifference): string {
  const at = place === '' ? 'before its first chat' : `at \`${place}\``
  const where = agentPath.length > 0 ? `${at} (${agentPath.join(' > ')})` : at
  const [one, other] = [recorded, now].map(shown)
  const [was, is] =
    typeof recorded === 'string' && typeof now === 'string' ? aroundDifference(recorded, now) : [one, other]
  return `the run differs ${where} in \`${path}\`:\n  recorded: ${was}\n  now:      ${is}`
}

/** Shows a value in a message; a long one is cut. */
export function shown(value: unknown): string {
  if (value === undefined) return '(nothing)'
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
}

/** Shows two long texts from shortly before they differ. */
function aroundDifference(one: string, other: string): [string, string] {
  const [at, there] = placesOfDifference(one, other)
  const cut = (text: string, place: number): string =>
    place > MAX_SHOWN_LENGTH / 2 ? `…${shown(text.slice(place - MAX_SHOWN_LENGTH / 4))}` : shown(text)
  return [cut(one, at), cut(other, there)]
}
