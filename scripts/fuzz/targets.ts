import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { READERS as AGENT_READERS } from '../growth/agent-readers.ts'
import { READERS as EVAL_READERS } from '../growth/eval-readers.ts'
import { wordsOf, type Reader } from '../growth/growth.ts'
import { READERS as REASONING_READERS } from '../growth/reasoning-readers.ts'
import { READERS as WIRE_READERS } from '../growth/wire-readers.ts'
import type { Target } from './engine.ts'
import { FILTER_TARGET } from './filter-target.ts'
import { SERVER_TARGETS } from './server-targets.ts'

const targetOf = ({ read, marks, sources = [] }: Reader): Target => ({
  marks: [...marks, ...sources.flatMap(wordsOf)],
  start: async () => ({ read }),
})

/** Every reader of foreign text, by name: those of `scripts/growth`, and clients and servers as a whole. */
export const TARGETS: ReadonlyMap<string, Target> = new Map([
  ...Object.entries({ ...AGENT_READERS, ...EVAL_READERS, ...REASONING_READERS, ...WIRE_READERS }).map(
    ([name, reader]): [string, Target] => [name, targetOf(reader)],
  ),
  ['the filter of system calls', FILTER_TARGET],
  ...Object.entries(SERVER_TARGETS),
])

const SEEDS_FOLDER = join(import.meta.dirname, 'seeds')

/** Texts of every target that once broke it, or that reach its parts, by the name of the target. */
export function readSeeds(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    readdirSync(SEEDS_FOLDER).map((file) => {
      const { target, texts } = JSON.parse(readFileSync(join(SEEDS_FOLDER, file), 'utf8')) as {
        target: string
        texts: readonly { readonly text: string; readonly why: string }[]
      }
      return [target, texts.map(({ text }) => text)]
    }),
  )
}
