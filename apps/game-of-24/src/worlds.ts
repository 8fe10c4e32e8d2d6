import { GPT4, type Calibration, type Chances } from './calibration.ts'

/** A kind of model with a name: what its proposals, grades and answers are like. */
export interface World {
  readonly name: string
  /** The difference from the calibration on logs, in words. */
  readonly about: string
  readonly calibration: Calibration
}

/** Share of hopeless steps that the grader praises, from none to many. */
const PRAISE_SHARES = [0, 0.03, 0.1, 0.3] as const

/** Chances that a right path is recognized among several: as assumed so far, by half, and never. */
const DETECT_SHARES = [0.95, 0.5, 0] as const

/** Grades that do not depend on the truth. */
const CHANCES_OF_NOTHING: Chances = [0.3, 0.4, 0.3]

/** Four options per reply, as the prompt of the thinker asks. */
const BASE: Calibration = { ...GPT4, fixedOptions: 4 }

type Grades = Calibration['grade'][number]

const withGrades = (change: (grades: Grades) => Grades): Calibration['grade'] =>
  Object.fromEntries(Object.entries(GPT4.grade).map(([left, grades]) => [left, change(grades)]))

/** Moves a share of the other verdicts to one of them. */
function moveTo(verdict: 0 | 2, share: number, chances: Chances): Chances {
  const moved = chances.map((chance, i) => chance * (1 - share) + (i === verdict ? share : 0))
  return [moved[0]!, moved[1]!, moved[2]!]
}

const praised = (share: number): Calibration['grade'] =>
  withGrades(({ reachable, hopeless }) => ({ reachable, hopeless: moveTo(0, share, hopeless) }))

const blind = (share: number): Calibration['grade'] =>
  withGrades(({ reachable, hopeless }) => ({ reachable: moveTo(2, share, reachable), hopeless }))

/** Multiplies the weight of good moves, in proposals and in chains. */
const proposer = (factor: number): Pick<Calibration, 'goodWeight' | 'chainGood'> => ({
  goodWeight: Object.fromEntries(Object.entries(GPT4.goodWeight).map(([left, weight]) => [left, weight * factor])),
  chainGood: Object.fromEntries(
    Object.entries(GPT4.chainGood).map(([left, weight]) => [left, weight + Math.log(factor)]),
  ),
})

const percent = (share: number): string => `${Math.round(100 * share)} %`

/** Repeats of a question get the same verdict, whatever the sample. */
const STANDING = { agreement: 1 } as const
/** Every sample is a new verdict. */
const FRESH = { agreement: 0 } as const

/** The worlds of the bars: false praise that stands, beside a judge of paths that recognizes fewer and fewer right ones. */
const BAR_WORLDS: readonly World[] = PRAISE_SHARES.flatMap((share) =>
  DETECT_SHARES.map((detect) => ({
    name: `praise ${percent(share)}, detect ${detect}`,
    about: `${percent(share)} of hopeless steps are graded sure, each time; among several paths a right one is recognized with ${percent(detect)}`,
    calibration: { ...BASE, ...STANDING, grade: praised(share), detect },
  })),
)

const OTHER_WORLDS: readonly World[] = [
  {
    name: 'as logged',
    about: 'the calibration on the logs of GPT-4 with as many options as it gave; 80 % of verdicts stand',
    calibration: GPT4,
  },
  ...[0.1, 0.3].map((share) => ({
    name: `fresh praise ${percent(share)}`,
    about: `${percent(share)} of gradings of hopeless steps say sure; every sample is a new verdict`,
    calibration: { ...BASE, ...FRESH, grade: praised(share) },
  })),
  ...[0.1, 0.3].map((share) => ({
    name: `blindness ${percent(share)}`,
    about: `${percent(share)} of hopeful steps are graded impossible, each time`,
    calibration: { ...BASE, ...STANDING, grade: blind(share) },
  })),
  ...[0.1, 0.3].map((share) => ({
    name: `praise of siblings ${percent(share)}`,
    about: `${percent(share)} of hopeless steps are graded sure, but together: of some parents four in five, of others none`,
    calibration: { ...BASE, ...STANDING, praiseOfSiblings: { parents: share / 0.8, thoughts: 0.8 } },
  })),
  {
    name: 'grades say nothing',
    about: 'grades of steps do not depend on the truth, and stand; those of answers do',
    calibration: {
      ...BASE,
      ...STANDING,
      grade: withGrades(() => ({ reachable: CHANCES_OF_NOTHING, hopeless: CHANCES_OF_NOTHING })),
    },
  },
  {
    name: 'judge says nothing',
    about: 'grades of answers, and a choice among them, do not depend on the truth; grades of steps do',
    calibration: { ...BASE, outcome: { right: CHANCES_OF_NOTHING, wrong: CHANCES_OF_NOTHING }, detect: 0 },
  },
  {
    name: 'weak proposer',
    about: 'good moves have two fifths of their weight, in options and in chains',
    calibration: { ...BASE, ...proposer(0.4) },
  },
  {
    name: 'strong proposer',
    about: 'good moves have six times their weight, in options and in chains',
    calibration: { ...BASE, ...proposer(6) },
  },
  {
    name: 'proposals repeat',
    about: 'a repeated question gets much the same options',
    calibration: { ...BASE, spread: { ...GPT4.spread, proposal: 2 } },
  },
  {
    name: 'proposals repeat, praise 10 %',
    about: 'a repeated question gets much the same options, and 10 % of hopeless steps are graded sure, each time',
    calibration: { ...BASE, ...STANDING, grade: praised(0.1), spread: { ...GPT4.spread, proposal: 2 } },
  },
]

/** All worlds; those of the bars come first. */
export const WORLDS: readonly World[] = [...BAR_WORLDS, ...OTHER_WORLDS]

/** True if a world belongs to the bars that `auto` has to pass. */
export const isBarWorld = (world: World): boolean => BAR_WORLDS.includes(world)
