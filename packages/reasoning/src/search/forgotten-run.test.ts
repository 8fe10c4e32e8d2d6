import type { Run } from '@x/interfaces'
import { currentRun, runAsync, wait, type Steps } from '@x/kernel'
import { expect, it } from 'vitest'
import { beam, search, searchStream, searchSync } from '../index.ts'
import type { SearchOptions } from './search-options.ts'

const parts: SearchOptions = {
  proposer: { propose: () => ({ text: '', reflection: '', options: [{ content: 'a step' }] }) },
  grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value: 1, details: '' })) }) },
  answerer: { answer: () => ({ text: 'so' }), merge: () => ({ text: 'so' }) },
  method: beam({ maxDepth: 1 }),
}

type Options = Pick<SearchOptions, 'run' | 'emit' | 'signal'>

const operations: Record<string, (options: Options) => unknown> = {
  search: async (options) => await search('Q', { ...parts, ...options }),
  searchSync: (options) => searchSync('Q', { ...parts, ...options }),
  searchStream: async (options) => await searchStream('Q', { ...parts, ...options }).result,
}

const forgets: Record<string, (run: Run) => Options> = {
  'the signal': ({ signal }) => ({ signal }),
  'the emit': ({ emit }) => ({ emit }),
}

const cases = Object.keys(operations).flatMap((name) => Object.keys(forgets).map((what) => [name, what] as const))

it.each(cases)('%s ends a run whose `run` was forgotten beside %s, whoever catches', async (name, what) => {
  function* outer(): Steps<string> {
    const run = yield* currentRun()
    try {
      yield* wait(operations[name]!(forgets[what]!(run)), 'a search')
    } catch {
      // The run has ended all the same.
    }
    return 'went on'
  }
  await expect(runAsync(outer())).rejects.toMatchObject({ code: 'invalid-argument' })
})

it.each(Object.keys(operations))('%s with the run is part of it', async (name) => {
  const types: string[] = []
  function* outer(): Steps<unknown> {
    const run = yield* currentRun()
    return yield* wait(operations[name]!({ run }), 'a search')
  }
  const result = await runAsync(outer(), { emit: (event) => void types.push(event.type) })
  expect(result).toMatchObject({ status: 'accepted' })
  // A stream is read by its reader alone.
  expect(types.includes('searchStart')).toBe(name !== 'searchStream')
})
