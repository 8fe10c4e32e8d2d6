import { numberOf } from './contract-parts.ts'
import type { ContractJob, ContractNode, ContractOutcome, ContractParts, ContractStrategy } from './contract-search.ts'

/** Number of jobs after which a strategy counts as endless. */
const MAX_JOBS = 500

interface Drive {
  readonly parts: ContractParts
  /** The position of the strategy among several. */
  readonly task?: { readonly id: string; readonly sample: number; readonly stride: number } | undefined
}

/** Runs a strategy without a search, tells it the outcomes in any order, and returns its faults. */
export async function driveStrategy(strategy: ContractStrategy, { parts, task }: Drive): Promise<string[]> {
  const faults = new Set<string>()
  const toldJobs = new Set<string>()
  while (strategy.answer === null && toldJobs.size < MAX_JOBS) {
    const jobs = strategy.ask()
    const state = stateOf(strategy)
    if (state !== stateOf(strategy)) faults.add('`ask` gives another list each time')
    checkSource(strategy, jobs, faults)
    for (const { id, sample } of jobs) {
      if (toldJobs.has(id)) faults.add(`it asks for ${id} again`)
      if (!id.includes(task?.id ?? '')) faults.add(`the id of ${id} does not have that of its task`)
      if (task && sample % task.stride !== task.sample) faults.add(`sample ${sample} is not one of its task`)
    }
    if (faults.size > 0) return [...faults]
    const job = jobs[numberOf(`${toldJobs.size}`, jobs.length || 1)]
    if (!job) break
    const outcome = await outcomeOf(job, parts)
    strategy.tell(job, outcome)
    toldJobs.add(job.id)
    const after = stateOf(strategy)
    strategy.tell(job, outcome)
    if (after !== stateOf(strategy)) faults.add(`it takes the outcome of ${job.id} twice`)
    strategy.best()
  }
  if (toldJobs.size === MAX_JOBS) faults.add('it asks for jobs without end')
  for (const { root } of strategy.trees) {
    if (!root.id.startsWith(task?.id ?? '')) faults.add(`the root ${root.id} does not begin with the id of its task`)
  }
  return [...faults]
}

const stateOf = (strategy: ContractStrategy): string =>
  JSON.stringify([strategy.ask().map(({ id }) => id), strategy.trees.map(({ root }) => root), strategy.answer?.text])

/** Checks that `jobs` of a strategy holds the jobs that `ask` returns. */
function checkSource({ jobs: source }: ContractStrategy, jobs: readonly ContractJob[], faults: Set<string>): void {
  if (!source) return
  if (source.size !== jobs.length || !jobs.every((job) => source.has(job))) {
    faults.add('`jobs` has other jobs than `ask` gives')
  }
}

/** A job with the fields of its kind. */
type WholeJob = ContractJob & {
  readonly node?: ContractNode
  readonly nodes?: readonly ContractNode[]
  readonly from?: readonly ContractNode[]
  readonly answers?: readonly string[]
}

async function outcomeOf(job: WholeJob, { proposer, grader, answerer }: ContractParts): Promise<ContractOutcome> {
  const run = undefined as never
  const { kind, sample, node, nodes = [], from = [], answers = [] } = job
  if (kind === 'expand') {
    const { text, reflection, options } = await proposer.propose({ node: node!, sample }, run)
    return { kind, text, reflection, options: [...options] }
  }
  if (kind === 'grade') return { kind, grades: [...(await grader.grade({ nodes, sample }, run)).grades] }
  const { text } = kind === 'answer' ? await answerer.answer({ from, sample }, run) : { text: answers.join(', ') }
  return { kind, text, verdict: null }
}
