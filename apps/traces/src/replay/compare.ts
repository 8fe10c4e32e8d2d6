import type { Face } from '@x/interfaces'
import { comparable } from './comparable.ts'
import { sameText } from './same-text.ts'
import { isFacts, type Facts, type Recorded, type Trace, type TraceValue } from './trace.ts'
import { sameWording } from './wording.ts'

/** One difference between a replay and the recording. */
export interface Difference {
  readonly path: string
  /** Undefined: nothing. */
  readonly recorded: TraceValue | undefined
  readonly seen: TraceValue | undefined
}

/** Compares the replay of a face with its recording, by the rules of the recordings. */
export const compare = (trace: Trace, face: Face, recorded: Recorded, seen: Recorded): Difference[] =>
  comparer(trace, face, seen)(recorded)

/** Makes a function that compares several recordings with one replay. */
export function comparer(trace: Trace, face: Face, seen: Recorded): (recorded: Recorded) => Difference[] {
  const plain = (each: Recorded): TraceValue =>
    comparable(withLogOf(face, trace, each), trace, face) as unknown as TraceValue
  const [after, { wordings = {} }] = [plain(seen), seen]
  return (recorded) => {
    const differences: Difference[] = []
    different('', plain(recorded), after, { differences, wordings })
    return differences
  }
}

/** The reference logs reply functions in its blocking walk alone, we in both: those of an asynchronous one are left out. */
function withLogOf(face: Face, { recorded }: Trace, its: Recorded): Recorded {
  if (face === 'sync' || recorded.both) return its
  return { ...its, log: (its.log ?? []).filter((entry) => !isReplyRecord(entry)) }
}

const isReplyRecord = ({ record }: Facts): boolean => record === 'reply_func_executed'

/** Roles and events whose content is the result of a tool: a number and its spelling are the same there. */
const TOOL_CONTENT: ReadonlySet<unknown> = new Set(['tool', 'function', 'executed_function', 'received'])

/** Findings of a comparison so far, and the wordings of what was seen. */
interface Comparison {
  readonly differences: Difference[]
  readonly wordings: Readonly<Record<string, string>>
}

/** Finds the places where two plain values differ. */
export function different(path: string, recorded: TraceValue, seen: TraceValue, comparison: Comparison): void {
  const { differences, wordings } = comparison
  if (Array.isArray(recorded) && Array.isArray(seen)) {
    for (let index = 0; index < Math.max(recorded.length, seen.length); index++) {
      const at = `${path}[${index}]`
      const [before, after] = [recorded[index] as TraceValue | undefined, seen[index] as TraceValue | undefined]
      if (before === undefined || after === undefined) differences.push({ path: at, recorded: before, seen: after })
      else different(at, before, after, comparison)
    }
  } else if (isFacts(recorded) && '$json' in recorded && typeof seen === 'string') {
    different(`${path}.$json`, recorded['$json'] ?? null, parsed(seen), comparison)
  } else if (isFacts(recorded) && isFacts(seen)) {
    const ofTool = TOOL_CONTENT.has(recorded['role'] ?? recorded['type'])
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(seen)])) {
      const [before, after] = [recorded[key] ?? null, seen[key] ?? null]
      if (key === 'content' && ofTool && sameSpelling(before, after)) continue
      different(path ? `${path}.${key}` : key, before, after, comparison)
    }
  } else if (!isAnyText(recorded, seen) && !isOurWording(recorded, seen, wordings) && !same(recorded, seen))
    differences.push({ path, recorded, seen })
}

/** The value of a text that is JSON; other texts as they are. */
function parsed(text: string): TraceValue {
  try {
    return JSON.parse(text) as TraceValue
  } catch {
    return text
  }
}

const isOurWording = (recorded: TraceValue, seen: TraceValue, wordings: Comparison['wordings']): boolean =>
  isFacts(recorded) && '$prompt' in recorded && typeof seen === 'string' && sameWording(recorded, seen, wordings)

/** `{ $default: 'system_message' }` stands for any text. */
const isAnyText = (recorded: TraceValue, seen: TraceValue): boolean =>
  isFacts(recorded) && recorded['$default'] === 'system_message' && typeof seen === 'string'

const same = (recorded: TraceValue, seen: TraceValue): boolean =>
  typeof recorded === 'number' && typeof seen === 'number'
    ? Math.abs(recorded - seen) <= 1e-9
    : typeof recorded === 'string' && typeof seen === 'string'
      ? sameText(recorded, seen)
      : Object.is(recorded, seen)

const sameSpelling = (recorded: TraceValue, seen: TraceValue): boolean =>
  (typeof recorded === 'number' && typeof seen === 'string') ||
  (typeof recorded === 'string' && typeof seen === 'number')
    ? String(recorded) === String(seen)
    : false
