import { createCodeExecutor } from '@x/exec'
import { evaluate, type EvalTask, makeTasks } from '@x/eval'
import { afterAll, describe, expect, it } from 'vitest'

const executor = createCodeExecutor('wasm', { timeout: 5 })
afterAll(() => executor.close())

/** Words of the steps and ends of `code`, each with the JavaScript that a reader would write for them. */
const WORDS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/Keep the numbers that are not divisible by (\d)\./u, (k) => `list = list.filter((n) => n % ${k} !== 0)`],
  [/Add to each number its index times (\d)/u, (m) => `list = list.map((n, i) => n + i * ${m})`],
  [/Replace each negative number by its square/u, () => 'list = list.map((n) => n < 0 ? n ** 2 : n)'],
  [/Drop every \w+ number: those at places (\d)/u, (k) => `list = list.filter((_, i) => (i + 1) % ${k})`],
  [
    /Move the first (\d) numbers to the end/u,
    (m) => `if (list.length >= ${m}) list = list.slice(${m}).concat(list.slice(0, ${m}))`,
  ],
  [/Remove each number that was there before/u, () => 'list = list.filter((n, i) => list.indexOf(n) === i)'],
  [/by its difference to the number before/u, () => 'list = list.map((n, i) => i ? n - list[i - 1] : n)'],
  [/Sort by the last decimal digit/u, () => 'list = [...list].sort((a, b) => Math.abs(a) % 10 - Math.abs(b) % 10)'],
  [/Return the list\./u, () => 'return list'],
  [/Return the sum/u, () => 'let s = 0; for (const n of list) s += n; return s'],
  [/how many numbers are greater than (\d+)/u, (k) => `return list.filter((n) => n > ${k}).length`],
  [
    /the largest number minus the smallest/u,
    () => 'if (!list.length) return null; const s = [...list].sort((a, b) => a - b); return s[s.length - 1] - s[0]',
  ],
  [
    /an object with the keys even and odd/u,
    () => 'const odd = list.filter((n) => n % 2).length; return { odd, even: list.length - odd }',
  ],
]

/** Writes the function that a task of `code` asks for, from its words alone. */
function solveCode({ input }: Pick<EvalTask, 'input'>): string {
  const steps = input.split(/ \(\d\) /u).slice(1)
  const lines = steps.map((step) => {
    const word = WORDS.find(([pattern]) => pattern.test(step))
    if (!word) throw new Error(`unknown step: ${step}`)
    const [pattern, write] = word
    return write(...pattern.exec(step)!.slice(1))
  })
  return `\`\`\`js\nfunction solve(list) {\n  ${lines.join('\n  ')}\n}\n\`\`\``
}

const tasks = makeTasks('code', { count: 25, seed: 9, executor })

/** Returns the score and the reason of an answer to one task. */
async function judged(text: string): Promise<readonly [score: number | null, reason: string | null]> {
  const { cells } = await evaluate({ tasks: tasks.slice(0, 1), contestants: [{ name: 'it', answer: () => text }] })
  return [cells[0]!.score, cells[0]!.reason]
}

const fenced = (code: string): string => `\`\`\`js\n${code}\n\`\`\``

describe('tasks of code', () => {
  it('are solved by who does what the words say', { timeout: 60_000 }, async () => {
    const report = await evaluate({ tasks, contestants: [{ name: 'reader', answer: solveCode }], concurrency: 2 })
    expect(report.cells.filter(({ score }) => score !== 1)).toEqual([])
    expect(report.isComplete).toBe(true)
  })

  it.each(['module.exports = solve', 'module.exports = { solve };', 'exports.solve = solve', 'export { solve }'])(
    'may end in `%s`',
    { timeout: 30_000 },
    async (end) => {
      expect(await judged(solveCode(tasks[0]!).replace(/\n```$/u, `\n${end}\n\`\`\``))).toEqual([1, null])
    },
  )

  it('take the block that defines the function, not the one behind it that shows its use', async () => {
    const used = fenced('console.log(solve([1, 2]))')
    expect(await judged(`${solveCode(tasks[0]!)}\nUse it so:\n${used}`)).toEqual([1, null])
  })

  it.each(['', 'return', 'return undefined', 'return NaN', 'return -Infinity', 'return Symbol()'])(
    'refuse `%s` for null of an empty list',
    { timeout: 30_000 },
    async (instead) => {
      const task = makeTasks('code', { count: 40, seed: 9, executor }).find(({ input }) =>
        input.includes('null for an'),
      )!
      const text = solveCode(task).replace('return null', instead)
      const { cells } = await evaluate({ tasks: [task], contestants: [{ name: 'it', answer: () => text }] })
      expect([cells[0]!.score, cells[0]!.reason]).toEqual([0, 'hidden test 13 of 13 failed'])
    },
  )

  it.each([
    ['is no code', 'I cannot.', 'no code'],
    ['does not parse', fenced('function solve(list) {'), 'did not run'],
    ['throws', fenced('function solve() { throw { toString: null } }'), 'did not run'],
    ['never ends', fenced('function solve() { for (;;); }'), 'timeout'],
    ['ends the program', fenced('function solve() { process.exit(0) }'), 'did not run'],
    ['floods the output', fenced('function solve() { for (;;) console.log("x".repeat(10000)) }'), 'did not run'],
    ['says that it has passed', fenced('console.log("ok ok ok"); function solve() { return "ok" }'), 'hidden test'],
    ['makes all values equal', fenced('JSON.stringify = () => "1"; function solve() { return 1 }'), 'hidden test'],
    ['changes its list', fenced('function solve(list) { list.length = 0; return list }'), 'hidden test'],
    [
      'returns what claims to be anything',
      fenced('function solve() { return { toJSON() { return { __proto__: null } } } }'),
      'hidden test',
    ],
    ['has a name twice', fenced('let results, input, before, result; function solve() { return 1 }'), 'hidden test'],
  ])('refuse an answer that %s', { timeout: 30_000 }, async (_, text, problem) => {
    expect(await judged(text)).toEqual([0, expect.stringContaining(problem)])
  })
})
