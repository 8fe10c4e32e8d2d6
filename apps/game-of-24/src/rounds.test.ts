import { expect, it } from 'vitest'
import { RoundCounter } from './rounds.ts'
import { StandInClient } from './index.ts'

const counter = (): RoundCounter => new RoundCounter(new StandInClient())

it('concurrent calls take one round, sequential calls one each', async () => {
  const clock = counter()
  await Promise.all([clock.later(1), clock.later(2)])
  expect(clock.rounds).toBe(1)
  await clock.later(3)
  expect(clock).toMatchObject({ calls: 3, rounds: 2 })
})

it('turns of the event loop before a call do not count as rounds', async () => {
  const clock = counter()
  const late = async (): Promise<void> => {
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve))
    await clock.later(2)
  }
  await Promise.all([clock.later(1), late()])
  expect(clock).toMatchObject({ calls: 2, rounds: 1 })
})

it('two clocks do not wait for each other', async () => {
  const clocks = [counter(), counter()]
  await Promise.all(clocks.map((clock) => clock.later(1)))
  expect(clocks.map(({ rounds }) => rounds)).toEqual([1, 1])
})
