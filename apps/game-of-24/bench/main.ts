import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { WORLDS } from '../src/index.ts'
import { drawCurves } from './curves.ts'
import { measure, puzzles, type Measured } from './measure.ts'
import { ROWS, type Row } from './rows.ts'
import { compareInWorlds } from './worlds-command.ts'

const USAGE = `pnpm bench:reasoning [options]
  --puzzles 901-1000    puzzles: numbers of the list (1 to 1362), or four numbers: 901,950-960,4 9 10 13
  --seeds 1-5           seeds of the stand-ins: 1,2,7-9
  --only <expression>   only the rows with a matching name
  --style 0.6           share of replies in odd styles
  --grade-noise 0.2     share of random grades
  --proposal-noise 0.3  share of good moves that the thinker overlooks
  --proposal-spread 2   spread of the fixed preferences in proposals (0.3): with more, proposals repeat
  --curves <file>       draw accuracy by calls and by rounds, at equal budgets, into an SVG file; nothing else is measured
  --json <file>         also write the figures as JSON
  --markdown            print the table as Markdown

pnpm bench:reasoning --worlds [options]: compare the methods in worlds with names, by paired intervals
  --puzzles 901-1000, --json, --markdown
  --only <expression>   only the worlds with a matching name
  --seeds 11-20         seeds on which the methods are judged
  --choosing-seeds 1-5  seeds on which the best method of each cell is chosen; none of those
  --budgets 10,20,50    budgets in calls (10,20,50,100,200)
  --all                 judge all methods, not only the best, best-of-n and auto
  --parallel 2          threads (the cores of the machine)`

const { values } = parseArgs({
  options: {
    puzzles: { type: 'string', default: '901-1000' },
    seeds: { type: 'string' },
    only: { type: 'string', default: '' },
    style: { type: 'string', default: '0' },
    'grade-noise': { type: 'string', default: '0' },
    'proposal-noise': { type: 'string', default: '0' },
    'proposal-spread': { type: 'string' },
    curves: { type: 'string' },
    json: { type: 'string' },
    markdown: { type: 'boolean', default: false },
    worlds: { type: 'boolean', default: false },
    'choosing-seeds': { type: 'string', default: '1-5' },
    budgets: { type: 'string', default: '10,20,50,100,200' },
    all: { type: 'boolean', default: false },
    parallel: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(USAGE)
  process.exit()
}

function refuse(name: string, text: string): never {
  console.error(`\`--${name}\` cannot be \`${text}\`\n\n${USAGE}`)
  process.exit(2)
}

function number(name: string, text: string, max = Infinity): number {
  const value = Number(text)
  return text.trim() !== '' && value >= 0 && value <= max ? value : refuse(name, text)
}

/** Reads numbers and ranges: `1,2,7-9`. */
const numbers = (name: string, text: string): number[] =>
  text.split(',').flatMap((part) => {
    const [from = '', to = from] = part.split('-')
    const [first, last] = [number(name, from), number(name, to)]
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })

const puzzleList = puzzles(values.puzzles)
if (puzzleList.length === 0) refuse('puzzles', values.puzzles)

if (values.worlds) {
  const only = new RegExp(values.only, 'i')
  if (!WORLDS.some(({ name }) => only.test(name))) refuse('only', values.only)
  const choosingSeeds = numbers('choosing-seeds', values['choosing-seeds'])
  const judgingSeeds = numbers('seeds', values.seeds ?? '11-20')
  if (choosingSeeds.some((seed) => judgingSeeds.includes(seed))) refuse('choosing-seeds', values['choosing-seeds'])
  const hold = await compareInWorlds({
    puzzles: puzzleList,
    choosingSeeds,
    judgingSeeds,
    judgesAll: values.all,
    budgets: numbers('budgets', values.budgets),
    only,
    parallel: number('parallel', values.parallel),
    markdown: values.markdown,
    json: values.json,
  })
  process.exit(hold ? 0 : 1)
}

const setting = {
  puzzles: puzzleList,
  seeds: numbers('seeds', values.seeds ?? '1-5'),
  noise: {
    style: number('style', values.style, 1),
    grade: number('grade-noise', values['grade-noise'], 1),
    proposal: number('proposal-noise', values['proposal-noise'], 1),
    ...(values['proposal-spread'] !== undefined && { spread: number('proposal-spread', values['proposal-spread']) }),
  },
}

console.log(
  'This measures the search, not a language model: the model is a calibrated stand-in for GPT-4 on Game of 24.',
)
console.log(
  `${setting.puzzles.length} puzzles (${values.puzzles}), ${setting.seeds.length} seeds; noise: style ${values.style}, grades ${values['grade-noise']}, proposals ${values['proposal-noise']}`,
)
if (values.curves !== undefined) {
  writeFileSync(values.curves, await drawCurves(setting))
  process.exit()
}

console.log('Above the line: as many options per reply as GPT-4 gave (about 9, 6, 4). Below: four options.\n')

const COLUMN_NAMES = ['method', 'solved %', '±', 'published', 'calls', 'rounds', 'tokens'] as const
const COLUMN_WIDTHS = [40, 8, 5, 18, 7, 7, 8]

function line(cells: readonly string[]): string {
  if (values.markdown) return `| ${cells.join(' | ')} |`
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(COLUMN_WIDTHS[i]!) : cell.padStart(COLUMN_WIDTHS[i]!))).join(' ')
}

const cellsOf = (row: Row, { solved, spread, calls, rounds, tokens }: Measured): string[] => [
  row.name,
  solved.toFixed(1),
  spread.toFixed(1),
  row.published ?? '',
  calls.toFixed(1),
  rounds.toFixed(1),
  tokens.toFixed(0),
]

const figures: Record<string, Measured> = {}
let last: Row['options'] = 'logged'
console.log(line(COLUMN_NAMES))
if (values.markdown) console.log(line(COLUMN_NAMES.map((_, i) => (i === 0 ? '---' : '---:'))))
for (const row of ROWS.filter(({ name }) => new RegExp(values.only, 'i').test(name))) {
  if (row.options !== last && !values.markdown) console.log('-'.repeat(99))
  last = row.options
  const measured = await measure(row, setting)
  figures[row.name] = measured
  console.log(line(cellsOf(row, measured)))
}
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ setting: { ...setting, puzzles: values.puzzles }, figures }, null, 2)}\n`,
  )
