import { describe, expect, it } from 'vitest'
import { classOf, emptyClasses, emptyCounts, Rates } from './auto-rates.ts'

const STEP = classOf('step', 1)

/** Returns the logarithm of the evidence of a middle grade of a step, where wrong steps got grades with few middle ones. */
function evidenceOfMiddle(rates: Rates): number {
  const classes = emptyClasses()
  classes[STEP]!.wrong.splice(0, 3, 60, 2, 30)
  rates.learn(classes, [], [])
  return rates.evidence('step', STEP, [0.5])
}

describe('a middle grade', () => {
  it('is no evidence for a step, however few of them wrong steps got', () => {
    expect(evidenceOfMiddle(new Rates([], { verified: false }))).toBeLessThan(0)
  })

  it('is evidence for a step if right steps of earlier searches got many', () => {
    const earlier = emptyCounts()
    earlier.grades.step.right.splice(0, 3, 0, 60, 0)
    expect(evidenceOfMiddle(new Rates([earlier], { verified: false }))).toBeGreaterThan(1)
  })
})

it('earlier praise of every end says nothing against praise of steps', () => {
  const earlier = emptyCounts()
  earlier.grades.step.right.splice(0, 3, 10, 10, 40)
  earlier.grades.step.wrong.splice(0, 3, 45, 10, 5)
  for (const side of ['right', 'wrong'] as const) earlier.grades.end[side].splice(0, 3, 0, 0, 60)
  const rates = new Rates([earlier], { verified: false })
  rates.learn(emptyClasses(), [], [])
  expect(rates.evidence('step', STEP, [1])).toBeGreaterThan(1.5)
  expect(rates.evidence('end', classOf('end', 3), [1])).toBeLessThan(0.5)
})

describe('a grader of siblings', () => {
  const ratesAfter = (...groups: number[][]): Rates => {
    const rates = new Rates([], { verified: false })
    for (const grades of groups) rates.sawSiblings(grades)
    rates.learn(emptyClasses(), [], [])
    return rates
  }
  const times = (count: number, grades: number[]): number[][] => Array.from({ length: count }, () => grades)

  it('says nothing of steps once it gave all of some siblings one grade four times, and different ones never', () => {
    expect(ratesAfter(...times(4, [0.9, 0.9])).evidence('step', STEP, [0.9])).toBe(0)
    expect(ratesAfter(...times(3, [0.9, 0.9])).tellsApart).toBe(true)
    expect(ratesAfter(...times(8, [0.9, 0.9]), [0.9, 0.5]).tellsApart).toBe(true)
  })

  it('may find all siblings bad, and gives one of one option no other grade', () => {
    expect(ratesAfter(...times(12, [0, 0]), ...times(20, [0.9])).tellsApart).toBe(true)
    expect(ratesAfter(...times(20, [0, 0])).tellsApart).toBe(false)
  })
})
