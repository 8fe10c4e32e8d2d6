/**
 * Runs every check of the workspace, each as a step of its own, so that one failure does not hide another.
 *
 *   pnpm check [step ...] [--except step,step] [--force]
 *
 * Steps run in parallel where possible. The result of a step whose files did not change comes from turbo's cache;
 * `--force` runs it again.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { STEPS, type Step } from './check-steps.ts'
import { turbo } from './turbo.ts'

interface Summary {
  readonly tasks: readonly {
    readonly taskId: string
    readonly cache: { readonly status: 'HIT' | 'MISS' }
    readonly execution?: { readonly startTime: number; readonly endTime: number; readonly exitCode: number | null }
  }[]
}

const SUMMARY_FOLDER = '.turbo/runs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { except: { type: 'string', default: '' }, force: { type: 'boolean', default: false } },
})
const steps = chosen(positionals, values.except.split(',').filter(Boolean))
const started = performance.now()
rmSync(SUMMARY_FOLDER, { recursive: true, force: true })
mkdirSync(SUMMARY_FOLDER, { recursive: true })
turbo(
  'run',
  ...steps.map(({ script }) => script),
  '--continue=always',
  '--output-logs=errors-only',
  '--log-order=grouped',
  '--log-prefix=none',
  '--ui=stream',
  '--summarize',
  ...(values.force ? ['--force'] : []),
)
const passed = report(steps)
console.log(`\n${passed} passed, ${steps.length - passed} failed (${seconds(performance.now() - started)})`)
process.exitCode = passed === steps.length ? 0 : 1

/** Prints one line per step and returns the number of steps that passed. */
function report(wanted: readonly Step[]): number {
  const file = readdirSync(SUMMARY_FOLDER).find((name) => name.endsWith('.json'))
  const tasks = file ? (JSON.parse(readFileSync(`${SUMMARY_FOLDER}/${file}`, 'utf8')) as Summary).tasks : []
  let count = 0
  for (const { script, name, what } of wanted) {
    const task = tasks.find(({ taskId }) => taskId === `//#${script}`)
    const execution = task?.execution
    const good = execution?.exitCode === 0
    if (good) count++
    const took = !execution
      ? 'not run'
      : task.cache.status === 'HIT'
        ? 'unchanged'
        : seconds(execution.endTime - execution.startTime)
    console.log(`${good ? 'ok  ' : 'FAIL'}  ${name.padEnd(10)} ${what.padEnd(58)} ${took}`)
  }
  return count
}

function chosen(only: readonly string[], except: readonly string[]): readonly Step[] {
  const unknown = [...only, ...except].find((name) => STEPS.every((step) => step.name !== name))
  if (unknown) throw new Error(`cannot check \`${unknown}\`: the steps are ${STEPS.map(({ name }) => name).join(', ')}`)
  return STEPS.filter(({ name }) => (only.length === 0 || only.includes(name)) && !except.includes(name))
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
