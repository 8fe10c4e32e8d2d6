import { expect, it } from 'vitest'
import { jobsOf } from './chat-jobs.ts'

const chat = (id: string, parent?: string, delay: number = 0) => ({ id, turn: 0, delay, parent })
const idsOf = (chats: Parameters<typeof jobsOf>[0]) =>
  jobsOf(chats).map(({ data: { id, others = [] } }) => [id, ...others].join(' '))

it('puts parts of one chat into jobs of four, and every other chat into a job of its own', () => {
  const parts = ['1', '2', '3', '4', '5'].map((id) => chat(id, 'parent'))
  expect(idsOf([chat('a'), ...parts, chat('b'), chat('6', 'another'), chat('c', 'parent', 100)])).toEqual([
    ...['a', 'b', 'c'],
    ...['1 2 3 4', '5', '6'],
  ])
})

it('deduplicates the job of one chat by its turn, and no other job', () => {
  const namesOf = (chats: Parameters<typeof jobsOf>[0]) => jobsOf(chats).map(({ opts }) => opts.jobId)
  expect(namesOf([chat('a')])).toEqual(namesOf([chat('a', 'parent')]))
  expect(namesOf([{ ...chat('a'), turn: 1 }])).not.toEqual(namesOf([chat('a')]))
  const pair = [chat('a', 'parent'), chat('b', 'parent')]
  expect(new Set([...namesOf(pair), ...namesOf(pair), ...namesOf([chat('a')])]).size).toBe(3)
  expect(namesOf([{ ...chat('a'), isFirst: true }])).not.toEqual(namesOf([chat('a')]))
})
