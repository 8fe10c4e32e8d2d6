/**
 * Fuzzing guided by coverage: texts that reach code which no earlier one has reached are kept, and further ones are made from
 * them. A reader may refuse a text by an error of its own; it may not break, hang, or change the prototype of all objects.
 *
 * V8 counts by itself which code runs, so this takes no library: the fuzzers that are kept up (`@jazzer.js/core`) bring a module
 * in C++ that is compiled where it is installed.
 */
import { inspect } from 'node:util'
import { Coverage } from './coverage.ts'
import { randomOf, TextMaker } from './mutations.ts'

/** A reader of foreign text, started. */
export interface StartedReader {
  readonly read: (text: string) => unknown
  readonly stop?: () => Promise<void>
}

/** A reader, client or server that is fuzzed. */
export interface Target {
  /** The texts that mean something to it. */
  readonly marks: readonly string[]
  readonly start: () => Promise<StartedReader>
}

/** A text that a reader broke at. */
export interface Finding {
  readonly text: string
  readonly what: string
}

/** Thrown by a target whose reader gave what it must never give. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise'
}

/** Milliseconds of the processor within which a text of at most 2000 characters is read. */
const MAX_READ_MS = 2000

/** Milliseconds after which a text that nothing answers counts as hanging. */
const HANGING_MS = 60_000

/** Texts between two looks at the coverage, findings after which a run ends, and attempts to shorten a text. */
const BATCH_SIZE = 16
const MAX_FINDINGS = 3
const MAX_SHORTENINGS = 400

/** Reads a text; returns what is wrong with how it was read. */
export async function faultOf({ read }: StartedReader, text: string): Promise<string | undefined> {
  // The clock of the wall would count what other programs do.
  const before = process.threadCpuUsage()
  let timer: NodeJS.Timeout | undefined
  const hanging = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${HANGING_MS} ms`), HANGING_MS)
  })
  try {
    const fault = await Promise.race([hanging, (async () => void (await read(text)))()])
    if (fault !== undefined) return fault
  } catch (error) {
    if (isBreak(error)) return inspect(error)
  } finally {
    clearTimeout(timer)
  }
  const added = Object.keys(Object.prototype)
  if (added.length > 0) return `all objects have got ${added.join(', ')}`
  const { user, system } = process.threadCpuUsage(before)
  const ms = Math.round((user + system) / 1000)
  return ms > MAX_READ_MS ? `took ${ms} ms for ${text.length} characters` : undefined
}

/** Tells a mistake in the code of a reader from its refusal of a text, also where a refusal hides one as its cause. */
function isBreak(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof BrokenPromise || isMistake(error)) return true
  const { cause } = error
  return cause instanceof Error && isMistake(cause) && OWN_FRAME.test(cause.stack ?? '')
}

const isMistake = (error: Error): boolean =>
  error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError

/** The first frame of a stack within the code of a package: `fetch` throws errors of type `TypeError` for what it cannot reach. */
const OWN_FRAME = /^[^\n]*\n +at [^\n]*\/(?:packages|apps)\/[^/\n]+\/src\//u

/** Removes from a text what does not matter for a fault. */
async function shorten(reader: StartedReader, text: string, what: string): Promise<string> {
  const isSame = async (each: string): Promise<boolean> => firstLine(await faultOf(reader, each)) === firstLine(what)
  let short = text
  let attempts = 0
  for (let size = Math.ceil(short.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < short.length && attempts < MAX_SHORTENINGS; attempts++) {
      const tried = short.slice(0, at) + short.slice(at + size)
      if (await isSame(tried)) short = tried
      else at += size
    }
  }
  return short
}

const firstLine = (text: string | undefined): string | undefined => text?.split('\n')[0]?.replaceAll(/\d+/gu, '')

/** The outcome of fuzzing one reader. */
export interface FuzzReport {
  /** Texts that were read, texts that reached new code, and blocks of code that ran. */
  readonly texts: number
  readonly kept: number
  readonly blocks: number
  readonly findings: readonly Finding[]
}

/** Fuzzes a reader for some seconds, beginning with the texts of `seeds`. */
export async function fuzz(
  { marks, start }: Target,
  { seconds, seed, seeds }: { readonly seconds: number; readonly seed: number; readonly seeds: readonly string[] },
): Promise<FuzzReport> {
  const reader = await start()
  const coverage = await Coverage.start()
  const maker = new TextMaker(randomOf(seed), marks)
  const kept: string[] = [...seeds]
  const findings: Finding[] = []
  const end = performance.now() + seconds * 1000
  let texts = 0
  const tryOut = async (text: string): Promise<void> => {
    texts++
    const what = await faultOf(reader, text)
    if (what === undefined || findings.some((each) => firstLine(each.what) === firstLine(what))) return
    findings.push({ text: await shorten(reader, text, what), what })
  }
  try {
    for (const text of seeds) await tryOut(text)
    await coverage.hasNew()
    while (performance.now() < end && findings.length < MAX_FINDINGS) {
      const batch = Array.from({ length: BATCH_SIZE }, () => maker.make(kept))
      for (const text of batch) if (performance.now() < end) await tryOut(text)
      // Which text of the batch it was matters little: all are starting points, and the pool stays small.
      if (await coverage.hasNew()) kept.push(...batch)
    }
  } finally {
    await reader.stop?.()
  }
  return { texts, kept: kept.length, blocks: coverage.size, findings }
}
