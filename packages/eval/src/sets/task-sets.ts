import type { CodeExecutor } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, nearestName, type OptionKinds } from '@x/kernel/options'
import type { EvalTask } from '../task.ts'
import { arithmetic } from './arithmetic.ts'
import { code } from './code.ts'
import { gameOf24 } from './game-of-24.ts'
import { logic } from './logic.ts'
import { warehouse } from './warehouse.ts'

/** Makes a task of a set. */
type TaskMaker = (id: string, seed: string, executor: CodeExecutor | undefined) => EvalTask

const MAKERS: Readonly<Record<TaskSetName, TaskMaker>> = {
  'game-of-24': gameOf24,
  code,
  arithmetic,
  logic,
  tools: warehouse,
}

/** Names of the sets of tasks. */
export const TASK_SETS = ['game-of-24', 'code', 'arithmetic', 'logic', 'tools'] as const

/** Name of a set of tasks. */
type TaskSetName = (typeof TASK_SETS)[number]

/** Options of {@link makeTasks}. */
interface TaskSetOptions {
  /** Tasks of each set; default 20. */
  readonly count?: number | undefined
  /** Seed of the tasks: another one makes other tasks; default 1. */
  readonly seed?: number | undefined
  /** Runs the code of answers in `code`, such as `createCodeExecutor()` of `@x/exec`; without one, they have no verdict. */
  readonly executor?: CodeExecutor | undefined
}

const TASK_SET_KINDS: OptionKinds<TaskSetOptions> = {
  count: kind.whole(1),
  seed: kind.whole(0),
  executor: kind.having('a code executor, such as `createCodeExecutor()` of `@x/exec`', 'executeCodeBlocks'),
}

/** Makes the tasks of a set, or of `all`; the same for the same seed. */
export function makeTasks(set: TaskSetName | 'all', options: TaskSetOptions = {}): readonly EvalTask[] {
  checkOptions(options, TASK_SET_KINDS, 'run `makeTasks`')
  const { count = 20, seed = 1, executor } = options
  if (set === 'all') return TASK_SETS.flatMap((each) => makeTasks(each, options))
  if (!Object.hasOwn(MAKERS, set)) {
    const near = nearestName(set, TASK_SETS, true)
    const next = near ? `did you mean \`${near}\`?` : `choose one of \`${TASK_SETS.join('`, `')}\`, or \`all\``
    throw new XError('invalid-argument', `cannot make tasks: there is no set \`${set as string}\`; ${next}`)
  }
  return Array.from({ length: count }, (_, index) => {
    const id = `${set}/${seed}/${index + 1}`
    return MAKERS[set](id, id, executor)
  })
}
