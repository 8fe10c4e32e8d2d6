import { expect, test } from 'vitest'
import { describeMutant, judgePlugin } from './judge.ts'
import { mutantsOf } from './operators.ts'
import { PLUGINS, sourceOf } from './run-suite.ts'
import { SURVIVORS } from './survivors.ts'

/** `node scripts/mutants.ts` runs all mutants, in minutes; here is a sample of them. */
const SAMPLE_EVERY = 30

test.each(PLUGINS)('the suite catches mutants of the $name, or the list of survivors names them', async (plugin) => {
  const { source, unlisted, total } = await judgePlugin(plugin, SAMPLE_EVERY)
  expect(total).toBeGreaterThan(2)
  expect(unlisted.map((mutant) => describeMutant(source, mutant))).toEqual([])
})

test('the list of survivors names mutants that exist', () => {
  const flat = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim()
  const known = new Set(
    PLUGINS.flatMap(({ name, file }) => {
      const source = sourceOf(file)
      return mutantsOf(source).map(({ operator, start, end }) =>
        JSON.stringify([name, operator, flat(source.slice(start, end))]),
      )
    }),
  )
  const listed = SURVIVORS.flatMap(({ mutants }) => mutants.map((mutant) => JSON.stringify(mutant)))
  expect(listed.filter((each) => !known.has(each))).toEqual([])
})
