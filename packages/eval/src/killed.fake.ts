/** A program that evaluates until it is killed: it writes down each answer that it pays for. */
import { appendFileSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type Contestant, evaluate, type EvalOptions } from './index.ts'

/** Number of tasks. */
export const TASK_COUNT = 300

/** Options of an evaluation whose contestant notes in a file what it was asked. */
export function evaluationIn(file: string, paid: string): EvalOptions {
  const clerk: Contestant = {
    name: 'clerk',
    settings: 1,
    answer: async ({ id }) => {
      appendFileSync(paid, `${id}\n`)
      await setImmediate()
      return id
    },
  }
  const tasks = Array.from({ length: TASK_COUNT }, (_, n) => ({ id: `t${n}`, input: 'Who?', expected: `t${n}` }))
  return { tasks, contestants: [clerk], file, concurrency: 1 }
}

const [program, file, paid, concurrency = '1'] = process.argv.slice(1)
if (program?.endsWith('killed.fake.ts') && file !== undefined && paid !== undefined) {
  const onCell: EvalOptions['onCell'] = ({ score, isReplayed }, done) =>
    void writeSync(1, `${done} ${score} ${isReplayed}\n`)
  await evaluate({ ...evaluationIn(file, paid), onCell, concurrency: Number(concurrency) })
}
