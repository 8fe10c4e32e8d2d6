import type { CodeBlock, CodeExecutor } from '@x/interfaces'
import { XError } from '@x/kernel'
import { isDeepEqual } from '../scorers/schema.ts'
import { digestOf } from '../platform.ts'
import type { EvalTask, Scorer } from '../task.ts'
import { Dice } from './dice.ts'

/** A step of a function: in words, and what it does to a list of whole numbers. */
interface Step {
  readonly text: string
  readonly act: (list: readonly number[]) => readonly number[]
}

/** How a function ends: with what it returns of the list. */
interface End {
  readonly text: string
  readonly act: (list: readonly number[]) => unknown
}

const EXAMPLE_COUNT = 2
const HIDDEN_TEST_COUNT = 12

/** Most characters of an answer whose code runs. */
const MAX_LENGTH = 100_000

/**
 * Makes a task to write a JavaScript function of a list, from steps by chance. Its answer runs in the sandbox of the executor with
 * inputs that the task does not show. Only inputs are in the sandbox: what should come out is compared outside, so that code which
 * prints verdicts or changes the language gains nothing.
 */
export function code(id: string, seed: string, executor: CodeExecutor | undefined): EvalTask {
  const dice = new Dice(seed)
  const steps = Array.from({ length: dice.whole(2, 4) }, () => stepOf(dice))
  const end = endOf(dice)
  const run = (list: readonly number[]): unknown => end.act(steps.reduce((given, { act }) => act(given), list))
  const inputs = Array.from({ length: EXAMPLE_COUNT + HIDDEN_TEST_COUNT }, (_, index) => listOf(dice, index))
  const examples = inputs
    .slice(0, EXAMPLE_COUNT)
    .map((list) => `solve(${JSON.stringify(list)}) is ${JSON.stringify(run(list))}`)
  const words = [...steps, end].map(({ text }, index) => `(${index + 1}) ${text}`).join(' ')
  const hidden = [...inputs.slice(EXAMPLE_COUNT), []]
  return {
    id,
    kind: 'code',
    input: `Write a JavaScript function \`solve(list)\` that takes a list of whole numbers and does this: ${words} It must not change the list that it is given. For example, ${examples.join(', and ')}. Reply with the function in one fenced code block.`,
    expected: hidden.map((list) => [list, run(list)]),
    scorer: passesTests(executor),
  }
}

function passesTests(executor: CodeExecutor | undefined): Scorer {
  const scorer: Scorer = async ({ task, text }, { run }) => {
    if (!executor)
      throw new XError(
        'no-executor',
        'cannot judge code: give an `executor`, such as `createCodeExecutor()` of `@x/exec`',
      )
    const source = codeIn(text, executor)
    if (source === null) return { score: false, reason: 'there is no code in the answer' }
    const tests = task.expected as readonly (readonly [input: unknown, output: unknown])[]
    const mark = `results_${digestOf(source + task.id).replaceAll('-', '_')}`
    const program = programOf(
      source,
      tests.map(([input]) => input),
      mark,
    )
    const { output, blocks = [] } = await executor.executeCodeBlocks([{ language: 'javascript', code: program }], {
      run,
    })
    const results = resultsIn(output, mark)
    if (!results) return { score: false, reason: `the code did not run to its end: ${blocks[0]?.reason ?? 'exit'}` }
    const failed = tests.findIndex(([, wanted], index) => !isDeepEqual(results[index], wanted))
    if (failed === -1 && results.length === tests.length) return true
    return { score: false, reason: `hidden test ${failed + 1} of ${tests.length} failed` }
  }
  return Object.assign(scorer, { title: 'hidden tests' })
}

/** The words that define the function; others call it. */
const DEFINITION = /\bfunction\*? solve\b|\bsolve ?=/u

/**
 * Returns the code of an answer: its last block that defines the function, or else that names it, or all of the answer if it
 * begins like a function.
 */
function codeIn(text: string, { codeReader }: CodeExecutor): string | null {
  if (text.length > MAX_LENGTH) return null
  const blocks: readonly CodeBlock[] = codeReader.extractCode(text)
  const written =
    blocks.findLast(({ code: each }) => DEFINITION.test(each)) ??
    blocks.findLast(({ code: each }) => each.includes('solve'))
  return written?.code ?? (text.trimStart().startsWith('function solve') ? text : null)
}

/** The words that make code a module, which a script is not; what is left of `module.exports = { solve }` is a block. */
const EXPORT = /^export (?:default )?|^(?:module\.)?exports(?:\.solve)? ?= ?(?=solve|\{|function solve)/gmu

/** The program that runs in the sandbox. JSON has null for what is no value and no number: here those are texts of their own. */
const programOf = (source: string, inputs: readonly unknown[], mark: string): string => `
const print_${mark} = console.log.bind(console), stringify_${mark} = JSON.stringify.bind(JSON)
const told_${mark} = (_, value) =>
  typeof value === 'number' && value - value !== 0 ? '' + value
  : typeof value === 'undefined' || typeof value === 'function' || typeof value === 'symbol' ? typeof value : value
${source.replaceAll(EXPORT, '')}
;{
  const results = []
  for (const input of ${JSON.stringify(inputs)}) {
    const before = stringify_${mark}(input)
    let result
    try { result = solve(input) } catch (error) { result = { error: String(error) } }
    results.push(stringify_${mark}(input) === before ? result : { error: 'the list was changed' })
  }
  print_${mark}('${mark}' + stringify_${mark}(results, told_${mark}))
}`

function resultsIn(output: string, mark: string): readonly unknown[] | null {
  const line = output.split('\n').findLast((each) => each.startsWith(mark))
  try {
    const results: unknown = line && JSON.parse(line.slice(mark.length))
    return Array.isArray(results) ? results : null
  } catch {
    return null
  }
}

function listOf(dice: Dice, index: number): readonly number[] {
  const length = index < EXAMPLE_COUNT ? dice.whole(4, 6) : dice.whole(1, 14)
  return Array.from({ length }, () => dice.whole(-20, 40))
}

function stepOf(dice: Dice): Step {
  const [k, m] = [dice.whole(2, 5), dice.whole(2, 9)]
  return dice.one<Step>([
    { text: `Keep the numbers that are not divisible by ${k}.`, act: (list) => list.filter((n) => n % k !== 0) },
    {
      text: `Add to each number its index times ${m}; the first index is 0.`,
      act: (list) => list.map((n, i) => n + i * m),
    },
    { text: `Replace each negative number by its square.`, act: (list) => list.map((n) => (n < 0 ? n * n : n)) },
    {
      text: `Drop every ${ordinal(k)} number: those at places ${k}, ${2 * k} and so on, counted from 1.`,
      act: (list) => list.filter((_, i) => (i + 1) % k !== 0),
    },
    {
      text: `Move the first ${m} numbers to the end, in their order; if there are fewer, change nothing.`,
      act: (list) => (list.length < m ? list : [...list.slice(m), ...list.slice(0, m)]),
    },
    { text: `Remove each number that was there before, and keep the first.`, act: (list) => [...new Set(list)] },
    {
      text: `Replace each number but the first by its difference to the number before it.`,
      act: (list) => list.map((n, i) => (i === 0 ? n : n - list[i - 1]!)),
    },
    {
      text: `Sort by the last decimal digit of the absolute value; numbers with the same digit keep their order.`,
      act: (list) => list.toSorted((a, b) => (Math.abs(a) % 10) - (Math.abs(b) % 10)),
    },
  ])
}

const ordinal = (k: number): string => ({ 2: 'second', 3: 'third', 4: 'fourth', 5: 'fifth' })[k] ?? `${k}th`

function endOf(dice: Dice): End {
  const k = dice.whole(2, 6)
  return dice.one<End>([
    { text: 'Return the list.', act: (list) => list },
    { text: 'Return the sum; 0 for an empty list.', act: (list) => list.reduce((sum, n) => sum + n, 0) },
    { text: `Return how many numbers are greater than ${k * 5}.`, act: (list) => list.filter((n) => n > k * 5).length },
    {
      text: 'Return the largest number minus the smallest; null for an empty list.',
      act: (list) => (list.length === 0 ? null : Math.max(...list) - Math.min(...list)),
    },
    {
      text: `Return an object with the keys even and odd: how many numbers are even, and how many odd.`,
      act: (list) => ({ even: list.filter((n) => n % 2 === 0).length, odd: list.filter((n) => n % 2 !== 0).length }),
    },
  ])
}
