import { exact } from '../scorers/exact.ts'
import type { EvalTask } from '../task.ts'
import { Dice } from './dice.ts'

const END = 'End with a line `Answer: <number>`.'

/** A question and its exact answer. */
type Problem = readonly [question: string, answer: bigint | string]

const PROBLEMS: readonly ((dice: Dice) => Problem)[] = [expression, remainder, fractions, trip, digits]

/** Makes a problem of arithmetic with an exact answer: large numbers, remainders, fractions, a text, digits. */
export function arithmetic(id: string, seed: string): EvalTask {
  const dice = new Dice(seed)
  const [question, answer] = dice.one(PROBLEMS)(dice)
  return { id, input: `${question} ${END}`, kind: 'arithmetic', expected: String(answer), scorer: exact() }
}

function expression(dice: Dice): Problem {
  const [a, b, c, d] = Array.from({ length: 4 }, () => BigInt(dice.whole(100, 9999))) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  return [`What is (${a} + ${b}) * ${c} - ${d}?`, (a + b) * c - d]
}

function remainder(dice: Dice): Problem {
  const [base, exponent, modulus] = [dice.whole(3, 40), dice.whole(20, 90), dice.whole(11, 199)]
  return [
    `What is the remainder of ${base} to the power of ${exponent}, divided by ${modulus}?`,
    BigInt(base) ** BigInt(exponent) % BigInt(modulus),
  ]
}

function fractions(dice: Dice): Problem {
  const [a, b, c, d] = [dice.whole(1, 19), dice.whole(3, 23), dice.whole(1, 19), dice.whole(3, 23)]
  return [`What is ${a}/${b} + ${c}/${d}, as a fraction?`, `${a * d + c * b}/${b * d}`]
}

function trip(dice: Dice): Problem {
  const [boxes, each, broken, people] = [dice.whole(12, 60), dice.whole(11, 48), dice.whole(5, 80), dice.whole(3, 9)]
  const left = boxes * each - broken
  return [
    `A shop gets ${boxes} boxes of ${each} cups. ${broken} cups are broken. ${people} people share the others evenly, and each gets as many whole cups as possible. How many cups are left over?`,
    BigInt(left % people),
  ]
}

function digits(dice: Dice): Problem {
  const [base, exponent] = [dice.whole(2, 12), dice.whole(10, 24)]
  const sum = Array.from(String(BigInt(base) ** BigInt(exponent))).reduce((total, digit) => total + Number(digit), 0)
  return [`What is the sum of the decimal digits of ${base} to the power of ${exponent}?`, BigInt(sum)]
}
