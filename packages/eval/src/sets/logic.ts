import { exact } from '../scorers/exact.ts'
import type { EvalTask } from '../task.ts'
import { Dice } from './dice.ts'

const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hana'] as const

/** Makes a puzzle of logic with one solution: who tells the truth, or the order of people in a line. */
export function logic(id: string, seed: string): EvalTask {
  const dice = new Dice(seed)
  const [question, answer] = dice.one([liars, line])(dice)
  return { id, input: question, kind: 'logic', expected: answer, scorer: exact() }
}

/** A statement in words, and whether it holds in a world. */
interface Statement<W> {
  readonly text: string
  readonly holds: (world: W) => boolean
}

/** True for each person who tells the truth. */
type Truths = readonly boolean[]

function liars(dice: Dice): readonly [string, string] {
  const names = dice.some(NAMES, 4)
  const worlds: readonly Truths[] = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.map((_name, index) => ((bits >> index) & 1) === 1),
  )
  for (;;) {
    const said = names.map((_, speaker) => statementOn(dice, names, speaker))
    const possible = worlds.filter((world) => said.every(({ holds }, speaker) => holds(world) === world[speaker]))
    if (possible.length !== 1) continue
    const honest = names.filter((_, index) => possible[0]![index])
    const texts = said.map(({ text }, speaker) => `${names[speaker]} says: "${text}"`)
    return [
      `Each of ${names.join(', ')} either always tells the truth or always lies. ${texts.join(' ')} Who tells the truth? End with a line \`Answer: <names in the order of the alphabet, with commas between them, or nobody>\`.`,
      honest.toSorted().join(', ') || 'nobody',
    ]
  }
}

function statementOn(dice: Dice, names: readonly string[], speaker: number): Statement<Truths> {
  const [one, other] = dice.some(
    names.map((_, index) => index).filter((index) => index !== speaker),
    2,
  ) as [number, number]
  return dice.one<Statement<Truths>>([
    { text: `${names[one]} lies.`, holds: (world) => !world[one] },
    { text: `${names[one]} tells the truth.`, holds: (world) => world[one]! },
    {
      text: `${names[one]} and ${names[other]} are alike: both lie, or neither does.`,
      holds: (world) => world[one] === world[other],
    },
    { text: `${names[one]} lies, or ${names[other]} does.`, holds: (world) => !world[one] || !world[other] },
    {
      text: `Exactly two of us four tell the truth.`,
      holds: (world) => world.filter(Boolean).length === 2,
    },
  ])
}

/** People from front to back. */
type Line = readonly string[]

function line(dice: Dice): readonly [string, string] {
  const names = dice.some(NAMES, 5)
  const right = dice.some(names, names.length)
  const clues: Statement<Line>[] = []
  let possible = permutations(names)
  while (possible.length > 1) {
    const clue = clueOf(dice, right)
    const left = possible.filter((each) => clue.holds(each))
    if (left.length < possible.length) clues.push(clue)
    possible = left
  }
  const texts = clues.map(({ text }) => text)
  const place = dice.whole(1, names.length)
  return [
    `${names.toSorted().join(', ')} stand in a line. ${texts.join(' ')} Who stands at place ${place}, counted from the front? End with a line \`Answer: <name>\`.`,
    right[place - 1]!,
  ]
}

/** Makes a statement that holds for the line. */
function clueOf(dice: Dice, right: Line): Statement<Line> {
  const at = dice.whole(0, right.length - 2)
  const behind = dice.whole(at + 1, right.length - 1)
  const [one, other] = [right[at]!, right[behind]!]
  const between = behind - at - 1
  return dice.one<Statement<Line>>([
    { text: `${one} stands somewhere before ${other}.`, holds: (world) => world.indexOf(one) < world.indexOf(other) },
    {
      text: `Between ${one} and ${other} stand${between === 1 ? 's one person' : ` ${between === 0 ? 'no' : between} people`}.`,
      holds: (world) => Math.abs(world.indexOf(one) - world.indexOf(other)) === between + 1,
    },
    { text: `${one} is not at place ${behind + 1}.`, holds: (world) => world[behind] !== one },
  ])
}

function permutations(of: Line): Line[] {
  if (of.length < 2) return [of]
  return of.flatMap((first) => permutations(of.filter((each) => each !== first)).map((rest) => [first, ...rest]))
}
