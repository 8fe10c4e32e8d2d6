import { describe, expect, it } from 'vitest'
import { fuzz } from './engine.ts'
import { SERVER_TARGETS } from './server-targets.ts'
import { readSeeds, TARGETS } from './targets.ts'

/** Seconds for all targets together; clients and servers, which do more for each text, take a third of them. */
const ALL_SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 20)
const SERVER_SECONDS = ALL_SECONDS / 3 / Object.keys(SERVER_TARGETS).length
const READER_SECONDS = ((ALL_SECONDS / 3) * 2) / (TARGETS.size - Object.keys(SERVER_TARGETS).length)

/** The generated texts are others in each run, unless one is repeated. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)

const seeds = readSeeds()

// A second run would have other luck.
describe(`random texts break no reader (FUZZ_SEED=${SEED})`, { retry: 0, timeout: 120_000 }, () => {
  it.each([...TARGETS.keys()])('%s', async (name) => {
    const seconds = Object.hasOwn(SERVER_TARGETS, name) ? SERVER_SECONDS : READER_SECONDS
    const { texts, findings } = await fuzz(TARGETS.get(name)!, { seconds, seed: SEED, seeds: seeds.get(name) ?? [] })
    expect(findings).toEqual([])
    expect(texts).toBeGreaterThan(0)
  })
})
