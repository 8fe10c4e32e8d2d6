import { checkAnswer } from './check.ts'

/** The question of a puzzle: four numbers, as text or as a list. */
export const questionOf = (puzzle: string | readonly number[]): string =>
  `Use the numbers ${typeof puzzle === 'string' ? puzzle : puzzle.join(' ')} and the operations + - * / to make 24. Use each number exactly once and end with \`Answer: <expression> = 24\`.`

/** The numbers of a puzzle. */
export const numbersOf = (puzzle: string): number[] => puzzle.trim().split(/\s+/).map(Number)

/** A verifier of answers to one puzzle: plain arithmetic, no solution in it. */
export const verifierOf =
  (puzzle: string): ((answer: string) => boolean) =>
  (answer) =>
    checkAnswer(answer, numbersOf(puzzle))
