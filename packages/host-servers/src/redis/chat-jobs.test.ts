import { expect, it } from 'vitest'
import { jobsOf, leftJobsOf } from './chat-jobs.ts'

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

it('puts a chat before or behind the others by its priority', () => {
  const optionsOf = (priority?: 'high' | 'normal' | 'low') => jobsOf([{ ...chat('a'), priority }])[0]!.opts
  expect(optionsOf('high')).toMatchObject({ lifo: true })
  expect(optionsOf('low')).toMatchObject({ priority: 1 })
  for (const each of ['lifo', 'priority']) expect(optionsOf('normal')).not.toHaveProperty(each)
})

it('deduplicates the job of one chat by its turn, and no other job', () => {
  const namesOf = (chats: Parameters<typeof jobsOf>[0]) => jobsOf(chats).map(({ opts }) => opts.jobId)
  expect(namesOf([chat('a')])).toEqual(namesOf([chat('a', 'parent')]))
  expect(namesOf([{ ...chat('a'), turn: 1 }])).not.toEqual(namesOf([chat('a')]))
  const pair = [chat('a', 'parent'), chat('b', 'parent')]
  expect(new Set([...namesOf(pair), ...namesOf(pair), ...namesOf([chat('a')])]).size).toBe(3)
  expect(namesOf([{ ...chat('a'), isFirst: true }])).not.toEqual(namesOf([chat('a')]))
})

it('leaves no job behind of a chat that goes on before its time', () => {
  const later = { ...chat('a'), turn: 3, delay: 1000 }
  expect(leftJobsOf([{ ...chat('a'), turn: 4 }])).toEqual(jobsOf([later]).map(({ opts }) => opts.jobId))
  expect(leftJobsOf([chat('a'), later])).toEqual([])
})
