import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { SearchJob, JobOutcome } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type Strategy, type SearchTask } from '../strategy/strategy.ts'
import { bestOf, isTerminal } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'
import { simulationOf, describeAttempts } from './attempts.ts'
import { chooseByUct } from './uct.ts'

/** Options of `mcts` and `lats`. */
export interface MctsOptions {
  /** Number of simulations; default 3. */
  nsim?: number | undefined
  /** Depth at which a simulation answers; default 4. */
  maxDepth?: number | undefined
  /** Weight of unexplored branches; default 1.41. */
  explorationConstant?: number | undefined
  /**
   * Whether a simulation chooses before the rewards that it depends on are known, counting them as 0: more runs at once,
   * but the tree depends on the order in which answers arrive. Default false.
   */
  virtualLoss?: boolean | undefined
}

const KINDS: OptionKinds<MctsOptions> = {
  nsim: kind.whole(1),
  maxDepth: kind.limit(1),
  explorationConstant: kind.number(0),
  virtualLoss: kind.flag,
}

const { virtualLoss: _, ...LATS } = KINDS

/**
 * Monte Carlo tree search: every simulation walks down by the upper confidence bound on the mean reward, continues with
 * random options to a leaf, answers from there and propagates the grade of the answer back to the root. The answer with
 * the best grade wins. Simulations run at once as long as none can change the choice of another.
 */
export const mcts = (options: MctsOptions = {}): Method => mctsMethod(options, false)

/** Monte Carlo tree search as in LATS: one simulation after the other, each with the earlier attempts and ratings in view. */
export const lats = (options: Omit<MctsOptions, 'virtualLoss'> = {}): Method => mctsMethod(options, true)

function mctsMethod(options: MctsOptions, learns: boolean): Method {
  checkOptions<object>(options, learns ? LATS : KINDS, 'make a tree search')
  const settings = {
    nsim: options.nsim ?? 3,
    maxDepth: options.maxDepth ?? 4,
    explorationConstant: options.explorationConstant ?? 1.41,
    virtualLoss: options.virtualLoss ?? false,
    learns,
  }
  return (task) => new Mcts(task, settings)
}

interface MctsSettings {
  readonly nsim: number
  readonly maxDepth: number
  readonly explorationConstant: number
  readonly virtualLoss: boolean
  readonly learns: boolean
}

class Simulation {
  readonly index: number
  /** `select`: walks by the bound; `roll`: walks at random; `wait`: has an open job; `done`: has its reward. */
  stage: 'select' | 'roll' | 'wait' | 'done' = 'select'
  readonly path: ThinkNode[]
  answer: ThinkNode | null = null
  verdict: Candidate['verdict'] = null
  reward = 0

  constructor(index: number, root: ThinkNode) {
    this.index = index
    this.path = [root]
  }

  get at(): ThinkNode {
    return this.path.at(-1)!
  }
}

class Mcts implements Strategy {
  readonly trees: readonly [Tree]
  readonly #task: SearchTask
  readonly #settings: MctsSettings
  readonly #open = new OpenJobs()
  #simulations: Simulation[]
  readonly #byJob = new Map<string, Simulation>()
  /** The simulations through a node, in their order. */
  readonly #through = new Map<ThinkNode, Simulation[]>()
  #isConcluded = false
  #answer: Candidate | null = null

  constructor(task: SearchTask, settings: MctsSettings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    const { root } = this.trees[0]
    this.#simulations = Array.from({ length: settings.nsim }, (_, i) => new Simulation(i, root))
    this.#through.set(root, [...this.#simulations])
    this.#advance()
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#simulations.some((simulation) => simulation.answer) ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.#open.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.#open.close(job)) return
    const simulation = this.#byJob.get(job.id)!
    if (job.kind === 'expand') this.#takeOptions(simulation, outcome)
    else if (job.kind === 'answer') this.#takeAnswer(simulation, outcome)
    else this.#takeGrade(simulation, outcome)
    this.#advance()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    let best: Simulation | undefined
    for (const simulation of this.#simulations) {
      if (simulation.answer && (!best || rank(simulation) > rank(best))) best = simulation
    }
    if (!best) return { text: null, node: bestOf(this.trees[0].root.walk()), verdict: null, accepted: false }
    const { answer, verdict } = best
    return { text: answer!.content, node: answer, verdict, accepted: verdict?.accepted ?? true }
  }

  conclude(): void {
    if (this.#isConcluded || this.#answer) return
    this.#isConcluded = true
    this.#open.drop()
    const [deepest] = this.#simulations.toSorted((a, b) => b.path.length - a.path.length)
    if (this.reserve === 0) this.#settle()
    else this.#requestAnswer(deepest!)
  }

  #advance(): void {
    if (this.#answer || this.#isConcluded) return
    // In their order, so that later simulations know the choices of earlier ones.
    for (const [i, simulation] of this.#simulations.entries()) {
      if (this.#settings.learns && i > 0 && this.#simulations[i - 1]!.stage !== 'done') break
      while (this.#step(simulation));
    }
    if (this.#simulations.every((simulation) => simulation.stage === 'done')) this.#settle()
  }

  /** Walks one node further; false when the simulation has to wait. */
  #step(simulation: Simulation): boolean {
    const { at, stage } = simulation
    if (stage === 'wait' || stage === 'done') return false
    if (isTerminal(at, this.#settings.maxDepth) || at.fate === 'final') return this.#requestAnswer(simulation)
    if (stage === 'select') {
      const through = this.#through.get(at)!
      const before = through.slice(0, through.indexOf(simulation))
      if (before.some((other) => other.at === at && other.stage !== 'done')) return false
      if (at.children.length === 0) return this.#requestOptions(simulation)
      const child = this.#selectChild(at, before)
      if (!child) return false
      this.#descend(simulation, child)
      return true
    }
    if (at.children.length === 0) return this.#requestOptions(simulation)
    const position = `${this.#task.id}${simulation.index}/${at.depth}`
    this.#descend(simulation, at.children[Math.floor(this.#task.random(position) * at.children.length)]!)
    return true
  }

  #selectChild(at: ThinkNode, before: readonly Simulation[]): ThinkNode | null {
    const branches = at.children.map((child) => {
      const visitors = before.filter((simulation) => simulation.path.includes(child))
      const finished = visitors.filter((simulation) => simulation.stage === 'done')
      return {
        visits: visitors.length,
        pending: this.#settings.virtualLoss ? 0 : visitors.length - finished.length,
        total: finished.reduce((sum, simulation) => sum + simulation.reward, 0),
      }
    })
    const index = chooseByUct(branches, before.length, this.#settings.explorationConstant)
    return index === null ? null : at.children[index]!
  }

  #descend(simulation: Simulation, child: ThinkNode): void {
    simulation.path.push(child)
    const through = this.#through.get(child) ?? []
    through.push(simulation)
    this.#through.set(
      child,
      through.sort((a, b) => a.index - b.index),
    )
  }

  #requestOptions(simulation: Simulation): false {
    const { at, index } = simulation
    const tries = this.#through.get(at)!.indexOf(simulation)
    return this.#post(simulation, {
      kind: 'expand',
      id: `expand:${at.id}${tries === 0 ? '' : `#${tries}`}`,
      position: [index, at.depth, 0],
      level: at.depth,
      sample: sampleOf(this.#task, tries),
      node: at,
      context: this.#lessonsFor(index),
      repair: null,
    })
  }

  #requestAnswer(simulation: Simulation): false {
    const { at, index } = simulation
    this.trees[0].mark('final', at)
    // A further visit of the same leaf asks for another answer.
    const before = this.#through.get(at)!.indexOf(simulation)
    return this.#post(simulation, {
      kind: 'answer',
      id: `answer:${at.id}@${index}`,
      position: [index, this.#settings.maxDepth + 1, 0],
      level: at.depth,
      sample: sampleOf(this.#task, before),
      from: [at],
    })
  }

  #post(simulation: Simulation, job: SearchJob): false {
    simulation.stage = 'wait'
    this.#byJob.set(job.id, simulation)
    this.#open.post(job)
    return false
  }

  #takeOptions(simulation: Simulation, outcome: JobOutcome): void {
    const [tree] = this.trees
    const { at } = simulation
    if (outcome.kind !== 'expand') {
      tree.mark('failed', at)
      return this.#reward(simulation, 0)
    }
    at.reflection += outcome.reflection
    for (const option of outcome.options) tree.add(at, option.content).output = option.output ?? null
    // Without options the path ends here and says so, as in AG2; the answer is made from it.
    if (at.children.length === 0) at.content += '\nTERMINATE'
    tree.mark(at.children.length > 0 ? 'expanded' : 'final', at)
    simulation.stage = 'roll'
  }

  #takeAnswer(simulation: Simulation, outcome: JobOutcome): void {
    if (outcome.kind !== 'answer') return this.#reward(simulation, 0)
    const [tree] = this.trees
    const { at, index } = simulation
    const answer = tree.add(at, outcome.text, `${at.id}@${index}`)
    at.children.sort((a, b) => simulationOf(a) - simulationOf(b))
    tree.mark('answer', answer)
    simulation.answer = answer
    simulation.verdict = outcome.verdict
    if (outcome.verdict) {
      tree.grade(answer, outcome.verdict.score, outcome.verdict.reason ?? 'verified by code')
      return this.#reward(simulation, outcome.verdict.score)
    }
    if (this.#isConcluded) return this.#settle()
    this.#post(simulation, {
      kind: 'grade',
      id: `grade:${answer.id}`,
      position: [index, this.#settings.maxDepth + 1, 1],
      level: at.depth + 1,
      sample: sampleOf(this.#task, 0),
      nodes: [answer],
      isOutcome: true,
      context: this.#lessonsFor(index),
      repair: null,
    })
  }

  #takeGrade(simulation: Simulation, outcome: JobOutcome): void {
    const grade = outcome.kind === 'grade' ? outcome.grades[0] : undefined
    if (grade) this.trees[0].grade(simulation.answer!, grade.value, grade.details)
    this.#reward(simulation, grade?.value ?? 0)
  }

  /** Counts the reward on the path, always in the order of the simulations: sums of floats depend on it. */
  #reward(simulation: Simulation, reward: number): void {
    simulation.stage = 'done'
    simulation.reward = reward
    this.#recount(simulation.path)
    if (this.#isConcluded) return this.#settle()
    const first = this.#simulations.findIndex(({ stage, verdict }) => stage !== 'done' || verdict?.accepted)
    if (this.#simulations[first]?.stage === 'done') this.#acceptAt(first)
  }

  #recount(nodes: Iterable<ThinkNode>): void {
    for (const node of nodes) {
      node.visits = 0
      node.value = 0
      for (const visitor of this.#through.get(node)!) {
        if (visitor.stage !== 'done') continue
        node.visits += 1
        node.value += (visitor.reward - node.value) / node.visits
      }
    }
  }

  /** Ends with a verified answer when all simulations before it are done; the work of later simulations is undone. */
  #acceptAt(index: number): void {
    const [tree] = this.trees
    const later = this.#simulations.splice(index + 1)
    for (const node of new Set(later.flatMap(({ path }) => path))) {
      const stay = this.#through.get(node)!.filter((simulation) => simulation.index <= index)
      this.#through.set(node, stay)
      if (stay.some(({ path }) => path.at(-1) !== node)) continue
      tree.cut(node, (child) => child.fate === 'answer' && stay.some(({ answer }) => answer === child))
    }
    this.#recount(new Set(later.flatMap(({ path }) => path)))
    this.#settle()
  }

  #settle(): void {
    this.#open.drop()
    this.#answer = this.best()
  }

  #lessonsFor(index: number): string | null {
    if (!this.#settings.learns || index === 0) return null
    return describeAttempts(this.#simulations.slice(0, index).flatMap(({ answer }) => answer ?? []))
  }
}

/** Ranks a simulation: accepted by the verifier first, then by reward; an answer without a reward comes last. */
const rank = ({ verdict, stage, reward }: Simulation): number =>
  (verdict?.accepted ? 2 : 0) + (stage === 'done' ? reward : -1)
