import { expect, it } from 'vitest'
import { jobsOf } from './chat-jobs.ts'

const chat = (id: string, whole?: string, delay: number = 0) => ({ id, turn: 0, delay, whole })
const carried = (chats: Parameters<typeof jobsOf>[0]) =>
  jobsOf(chats).map(({ data: { id, others = [] } }) => [id, ...others].join(' '))

it('puts parts of one chat in jobs of four, and every other chat in one of its own', () => {
  const parts = ['1', '2', '3', '4', '5'].map((id) => chat(id, 'whole'))
  expect(carried([chat('a'), ...parts, chat('b'), chat('6', 'another'), chat('c', 'whole', 100)])).toEqual([
    ...['a', 'b', 'c'],
    ...['1 2 3 4', '5', '6'],
  ])
})

it('names a job of one chat by its turn, so that it is added once, and no other', () => {
  const namesOf = (chats: Parameters<typeof jobsOf>[0]) => jobsOf(chats).map(({ opts }) => opts.jobId)
  expect(namesOf([chat('a')])).toEqual(namesOf([chat('a', 'whole')]))
  expect(namesOf([{ ...chat('a'), turn: 1 }])).not.toEqual(namesOf([chat('a')]))
  const pair = [chat('a', 'whole'), chat('b', 'whole')]
  expect(new Set([...namesOf(pair), ...namesOf(pair), ...namesOf([chat('a')])]).size).toBe(3)
  expect(namesOf([{ ...chat('a'), isFirst: true }])).not.toEqual(namesOf([chat('a')]))
})
