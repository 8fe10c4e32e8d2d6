import type { JsonValue } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { messageOf } from './failure.ts'
import { checkEvalOptions, type EvalOptions, refused } from './options.ts'
import { digestOf, platformNow } from './platform.ts'
import { exact } from './scorers/exact.ts'
import { schema } from './scorers/schema.ts'
import { seedOf } from './statistics.ts'
import type { Contestant, EvalTask, Scorer, World } from './task.ts'

/** Options without a default. */
type Optional = 'file' | 'budget' | 'onCell' | 'records'

/** The options with their defaults, and the answers that are wanted. */
export type Plan = {
  readonly [K in Exclude<keyof EvalOptions, Optional>]-?: Exclude<EvalOptions[K], undefined>
} & Pick<EvalOptions, 'budget' | 'onCell' | 'records'> & { readonly cells: readonly PlannedCell[] }

/** An answer that is wanted. */
export interface PlannedCell {
  readonly id: string
  /** Those by which earlier releases have kept it: the text of `answer` as it is, also with the keys of the settings in their order. */
  readonly earlierIds: readonly string[]
  /** Digest of the facts of the task. */
  readonly asked: string
  readonly task: EvalTask
  readonly contestant: Contestant
  readonly repeat: number
  readonly seed: number
}

/** Checks options, and lists the answers that are wanted. */
export function planOf(options: EvalOptions): Plan {
  checkEvalOptions(options)
  const { tasks, contestants, scorer = usualScorer(), repeats = 1, seed = 1, budget } = options
  // Once for all tasks: the settings may have the text of a module.
  const answering = contestants.map((contestant) => ({ contestant, parts: partsOf(contestant) }))
  // One task after another, so that the answers of an evaluation that is stopped can be compared.
  const cells = Array.from({ length: repeats }, (_, repeat) =>
    tasks.flatMap((task) => {
      const asked = askedIdOf(task)
      const common = { asked, task, repeat, seed: seedOf(JSON.stringify([seed, task.id, repeat])) }
      return answering.map(({ contestant, parts }): PlannedCell => {
        const name = JSON.stringify(contestant.name)
        const [id, ...earlierIds] = parts.map((part) => digestOf(`["${asked}",${name},${part},${repeat}]`))
        return { ...common, id: id!, earlierIds, contestant }
      })
    }),
  ).flat()
  const { concurrency = 8, timeout = 600, now = platformNow, name = 'eval', onCell, records } = options
  const signal = options.signal ?? new AbortController().signal
  const limits = { repeats, concurrency, timeout, budget, signal }
  return { name, tasks, contestants, scorer, ...limits, now, onCell, records, seed, cells }
}

/** Writes the settings and the text of a contestant as identifiers have them, and behind it as those of earlier releases had. */
function partsOf({ settings = null, answer }: Contestant): readonly string[] {
  const [text, sorted] = [String(answer), withSortedKeys(settings)]
  const known = [
    [sorted, withoutNumbers(text)],
    [sorted, text],
    [settings, text],
  ]
  return [...new Set(known.map((each) => JSON.stringify(each).slice(1, -1)))]
}

/** Takes the names that Vitest gives imports off a text: a further import of the file would change their numbers. */
const withoutNumbers = (text: string): string => text.replaceAll(/__vi(?:te_ssr)?_import_\d+__\./gu, '')

/** Makes the scorer of an evaluation that names none. */
function usualScorer(): Scorer {
  const [bySchema, byText] = [schema(), exact()]
  return (given, context) => (given.task.answerSchema ? bySchema : byText)(given, context)
}

/** The facts of a task that an answer depends on. What scorers compare it with may change: answers are judged anew. */
function factsOf(task: EvalTask, world = worldOf(task)): JsonValue {
  const { id, input, kind: kindOf, answerSchema } = task
  const { tools = [], start = null } = world ?? {}
  const told = tools.map(({ name, description, parameters }) => [name, description, parameters as JsonValue])
  return [id, input, kindOf ?? null, (answerSchema ?? null) as JsonValue, told, start]
}

/** Returns the digest of the facts of a task, perhaps by a world that is there already. */
export function askedIdOf(task: EvalTask, world?: FirstWorld): string {
  const facts = factsOf(task, world)
  try {
    return digestOf(JSON.stringify(facts))
  } catch {
    throw refused(`the \`answerSchema\` of the task \`${task.id}\`, or of a tool of its \`world\`, is not plain JSON`)
  }
}

/** Returns settings with their keys in one order: settings that differ only in that order are the same. */
function withSortedKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    ),
  ) as JsonValue
}

/** A world before anything was done in it. */
type FirstWorld = World & { readonly start: JsonValue }

/** Makes the world of one answer, with its state at the start. A failure here says nothing about a contestant. */
export function worldOf({ id, world }: EvalTask): FirstWorld | undefined {
  try {
    const made = world?.()
    if (!made) return undefined
    const { tools, state } = made as Partial<World>
    if (!Array.isArray(tools) || typeof state !== 'function')
      throw new TypeError('it has to return `{ tools, state }`, and no promise')
    const start: unknown = made.state()
    if (isThenable(start)) throw new TypeError('its `state` has to return plain JSON, and no promise')
    return { tools, state: () => made.state(), start: plainJson(start as JsonValue) }
  } catch (error) {
    throw new XError('invalid-argument', `the \`world\` of the task \`${id}\` cannot be made: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/** Returns a value as the file keeps it, so that a replayed answer is judged as it was at first. */
export const plainJson = (value: JsonValue | undefined): JsonValue =>
  JSON.parse(JSON.stringify(value ?? null)) as JsonValue
