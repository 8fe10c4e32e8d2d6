import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { JobOutcome, SearchJob } from '../strategy/job.ts'
import { OpenJobs } from '../strategy/open-jobs.ts'
import { sampleOf, type Candidate, type Method, type SearchTask, type Strategy } from '../strategy/strategy.ts'
import { Heap } from '../tree/heap.ts'
import { isTerminal } from '../tree/terminal.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { Tree } from '../tree/tree.ts'
import { describeAttempts, Simulation, simulationOf, Visits } from './simulation.ts'
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
   * If true, a simulation chooses before all rewards are known, counting unknown ones as 0: more simulations run at once,
   * but the tree depends on the order in which answers arrive. Default false.
   */
  virtualLoss?: boolean | undefined
}

/** Kinds of the options of `mcts`. */
export const MCTS_KINDS: OptionKinds<MctsOptions> = {
  nsim: kind.whole(1),
  maxDepth: kind.limit(1),
  explorationConstant: kind.number(0),
  virtualLoss: kind.flag,
}

const { virtualLoss: _, ...kindsWithoutVirtualLoss } = MCTS_KINDS
/** Kinds of the options of `lats`. */
export const LATS_KINDS: OptionKinds<Omit<MctsOptions, 'virtualLoss'>> = kindsWithoutVirtualLoss

/**
 * Monte Carlo tree search: every simulation walks down by the upper confidence bound on the mean reward, continues with
 * random options to a leaf, answers from there and propagates the grade of the answer to the root. The answer with the best
 * grade wins. Simulations run at once as long as none can change the choice of another.
 */
export const mcts = (options: MctsOptions = {}): Method => mctsMethod(options, false)

/** Monte Carlo tree search as in LATS: one simulation after another, each with the earlier attempts and ratings in its prompts. */
export const lats = (options: Omit<MctsOptions, 'virtualLoss'> = {}): Method => mctsMethod(options, true)

function mctsMethod(options: MctsOptions, learns: boolean): Method {
  checkOptions<object>(options, learns ? LATS_KINDS : MCTS_KINDS, 'make a tree search')
  const settings = {
    nsim: options.nsim ?? 3,
    maxDepth: options.maxDepth ?? 4,
    explorationConstant: options.explorationConstant ?? 1.41,
    virtualLoss: options.virtualLoss ?? false,
    learns,
  }
  return withFingerprint((task: SearchTask) => new Mcts(task, settings), learns ? 'lats' : 'mcts', settings)
}

interface MctsSettings {
  readonly nsim: number
  readonly maxDepth: number
  readonly explorationConstant: number
  readonly virtualLoss: boolean
  readonly learns: boolean
}

/** Maximum number of simulations in flight. */
const MAX_CONCURRENT_SIMULATIONS = 4096

const UNVISITED_BRANCH = { visits: 0, pending: 0, total: 0 }

class Mcts implements Strategy {
  readonly trees: readonly [Tree]
  readonly jobs = new OpenJobs()
  readonly #task: SearchTask
  readonly #settings: MctsSettings
  /** The simulations begun so far. */
  readonly #simulations: Simulation[] = []
  /** Number of leading simulations that have their reward. */
  #doneCount = 0
  /** Simulations that may be able to continue, in their order. */
  readonly #ready = new Heap<Simulation>((a, b) => a.index - b.index)
  readonly #byJob = new Map<SearchJob, Simulation>()
  readonly #visits = new Map<ThinkNode, Visits>()
  readonly #answers: ThinkNode[] = []
  #best: Simulation | null = null
  #isConcluded = false
  /** True once a simulation has asked for an answer. */
  #hasAsked = false
  #answer: Candidate | null = null

  constructor(task: SearchTask, settings: MctsSettings) {
    this.#task = task
    this.#settings = settings
    this.trees = [new Tree({ question: task.question, id: task.id })]
    this.#advance()
  }

  get answer(): Candidate | null {
    return this.#answer
  }

  get reserve(): number {
    return this.#best ? 0 : 1
  }

  ask(): readonly SearchJob[] {
    return this.jobs.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (!this.jobs.close(job)) return
    const simulation = this.#byJob.get(job)!
    this.#byJob.delete(job)
    if (job.kind === 'expand') this.#takeOptions(simulation, outcome)
    else if (job.kind === 'answer') this.#takeAnswer(simulation, outcome)
    else this.#takeGrade(simulation, outcome)
    this.#advance()
  }

  best(): Candidate {
    if (this.#answer) return this.#answer
    // Steps have no grades here: without an answer no node is better than the root.
    if (!this.#best) return { text: null, node: this.trees[0].root, verdict: null, accepted: false }
    const { answer, verdict } = this.#best
    return { text: answer!.content, node: answer, verdict, accepted: verdict?.accepted ?? true }
  }

  conclude(): void {
    if (this.#isConcluded || this.#answer) return
    this.#isConcluded = true
    this.jobs.drop()
    if (this.#best) return this.#settle()
    let [deepest] = this.#simulations
    for (const simulation of this.#simulations) if (simulation.path.length > deepest!.path.length) deepest = simulation
    this.#requestAnswer(deepest!)
  }

  /** Lets simulations walk in their order, so that later ones know the choices of earlier ones. */
  #advance(): void {
    if (this.#answer || this.#isConcluded) return
    for (;;) {
      const simulation = this.#ready.pop() ?? this.#begin()
      if (!simulation) break
      while (this.#step(simulation));
    }
    if (this.#doneCount < this.#settings.nsim) return
    // Where every proposal failed, no simulation came to an answer.
    if (this.#hasAsked) this.#settle()
    else this.conclude()
  }

  /** Begins the next simulation; returns undefined if it would have to wait at the root. */
  #begin(): Simulation | undefined {
    const { nsim, learns } = this.#settings
    const { root } = this.trees[0]
    const index = this.#simulations.length
    if (index >= nsim || index - this.#doneCount >= (learns ? 1 : MAX_CONCURRENT_SIMULATIONS)) return undefined
    if (this.#visitsOf(root).head && !this.#isEnd(root)) return undefined
    const lessons = learns ? describeAttempts(this.#answers) : null
    const simulation = new Simulation(index, lessons)
    this.#simulations.push(simulation)
    this.#enter(simulation, root)
    return simulation
  }

  #visitsOf(node: ThinkNode): Visits {
    let visits = this.#visits.get(node)
    if (!visits) this.#visits.set(node, (visits = new Visits()))
    return visits
  }

  #isEnd(node: ThinkNode): boolean {
    return isTerminal(node, this.#settings.maxDepth) || node.fate === 'final'
  }

  /** Walks one node further; returns false if the simulation has to wait. */
  #step(simulation: Simulation): boolean {
    const { at, stage } = simulation
    if (stage === 'wait' || stage === 'done') return false
    if (this.#isEnd(at)) return this.#requestAnswer(simulation)
    const visits = this.#visitsOf(at)
    // Only the first simulation at a node may choose: the choices of the others depend on it.
    if (stage === 'select' && visits.head !== simulation) return false
    if (at.children.length === 0) return this.#requestOptions(simulation)
    const child = stage === 'select' ? this.#selectChild(at, simulation.order) : this.#drawChild(simulation)
    if (!child) return false
    this.#enter(simulation, child)
    visits.leave()
    if (visits.head) this.#ready.push(visits.head)
    return true
  }

  #selectChild(at: ThinkNode, before: number): ThinkNode | null {
    const branches = at.children.map((child) => {
      const childVisits = this.#visits.get(child)
      if (!childVisits) return UNVISITED_BRANCH
      const { size, doneCount, total } = childVisits
      return { visits: size, pending: this.#settings.virtualLoss ? 0 : size - doneCount, total }
    })
    const index = chooseByUct(branches, before, this.#settings.explorationConstant)
    return index === null ? null : at.children[index]!
  }

  #drawChild({ at, index }: Simulation): ThinkNode {
    const number = this.#task.random(`${this.#task.id}${index}/${at.depth}`)
    return at.children[Math.floor(number * at.children.length)]!
  }

  #enter(simulation: Simulation, node: ThinkNode): void {
    simulation.path.push(node)
    simulation.order = this.#visitsOf(node).enter(simulation)
  }

  #requestOptions(simulation: Simulation): false {
    const { at, index, order } = simulation
    return this.#post(simulation, {
      kind: 'expand',
      id: `expand:${at.id}${order === 0 ? '' : `#${order}`}`,
      position: [index, at.depth, 0],
      level: at.depth,
      sample: sampleOf(this.#task, order),
      node: at,
      context: simulation.lessons,
      repair: null,
    })
  }

  #requestAnswer(simulation: Simulation): false {
    const { at, index, order } = simulation
    this.#hasAsked = true
    this.trees[0].mark('final', at)
    return this.#post(simulation, {
      kind: 'answer',
      id: `answer:${at.id}@${index}`,
      position: [index, this.#settings.maxDepth + 1, 0],
      level: at.depth,
      // A further visit of the same leaf asks for another answer.
      sample: sampleOf(this.#task, order),
      from: [at],
    })
  }

  #post(simulation: Simulation, job: SearchJob): false {
    simulation.stage = 'wait'
    this.#byJob.set(job, simulation)
    this.jobs.post(job)
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
    // Without options the path ends here and says TERMINATE, as in AG2; the answer is written from it.
    if (at.children.length === 0) at.content += '\nTERMINATE'
    tree.mark(at.children.length > 0 ? 'expanded' : 'final', at)
    simulation.stage = 'roll'
    for (const each of at.children.length > 0 ? [simulation] : this.#visitsOf(at).waiting) this.#ready.push(each)
  }

  #takeAnswer(simulation: Simulation, outcome: JobOutcome): void {
    if (outcome.kind !== 'answer') return this.#reward(simulation, 0)
    const [tree] = this.trees
    const { at, index } = simulation
    const answer = tree.add(at, outcome.text, `${at.id}@${index}`)
    insertLast(at.children, (other) => simulationOf(other) > index)
    tree.mark('answer', answer)
    simulation.answer = answer
    simulation.verdict = outcome.verdict
    this.#answers.push(answer)
    if (outcome.verdict) {
      tree.verify(answer, outcome.verdict)
      return this.#reward(simulation, outcome.verdict.score)
    }
    this.#consider(simulation)
    if (this.#isConcluded) return this.#settle()
    this.#post(simulation, {
      kind: 'grade',
      id: `grade:${answer.id}`,
      position: [index, this.#settings.maxDepth + 1, 1],
      level: at.depth + 1,
      sample: sampleOf(this.#task, 0),
      nodes: [answer],
      isOutcome: true,
      context: simulation.lessons,
      repair: null,
    })
  }

  #takeGrade(simulation: Simulation, outcome: JobOutcome): void {
    const grade = outcome.kind === 'grade' ? outcome.grades[0] : undefined
    if (grade) this.trees[0].grade(simulation.answer!, grade.value, grade.details)
    this.#reward(simulation, grade?.value ?? 0)
  }

  #reward(simulation: Simulation, reward: number): void {
    const { at } = simulation
    simulation.stage = 'done'
    simulation.reward = reward
    for (const node of simulation.path) {
      const visits = this.#visitsOf(node)
      // The last answer may come from a simulation that had failed.
      if (this.#isConcluded) visits.recount()
      else visits.count()
      node.visits = visits.doneCount
      node.value = visits.mean
    }
    if (simulation.answer) this.#consider(simulation)
    if (this.#isConcluded) return this.#settle()
    while (this.#simulations[this.#doneCount]?.isDone && !this.#simulations[this.#doneCount]!.verdict?.accepted)
      this.#doneCount += 1
    if (this.#simulations[this.#doneCount]?.isDone) return this.#acceptAt(this.#doneCount)
    if (this.#visitsOf(at).head === simulation) this.#visitsOf(at).leave()
    for (const node of simulation.path) {
      const { head } = this.#visitsOf(node)
      if (head?.stage === 'select') this.#ready.push(head)
    }
  }

  /** Ends with a verified answer once all simulations before it are done; undoes the work of later simulations. */
  #acceptAt(index: number): void {
    const [tree] = this.trees
    const later = this.#simulations.splice(index + 1)
    const touched = new Set(later.flatMap(({ path }) => path))
    for (const node of touched) {
      const visits = this.#visitsOf(node)
      visits.recount(index)
      node.visits = visits.doneCount
      node.value = visits.mean
      if (visits.visitors.some(({ at }) => at !== node)) continue
      const answers = new Set(visits.visitors.map(({ answer }) => answer))
      tree.cut(node, (child) => child.fate === 'answer' && answers.has(child))
    }
    this.#best = null
    for (const simulation of this.#simulations) if (simulation.answer) this.#consider(simulation)
    this.#settle()
  }

  #settle(): void {
    this.jobs.drop()
    this.#answer = this.best()
  }

  /** Makes the answer of a simulation the best if it is better, or first among equals; called again once it has a reward. */
  #consider(simulation: Simulation): void {
    const best = this.#best
    const difference = best ? simulation.rank - best.rank : 1
    if (difference > 0 || (difference === 0 && simulation.index < best!.index)) this.#best = simulation
  }
}

/** Moves the last item of a sorted list to its place. */
function insertLast<T>(list: T[], isAfter: (other: T) => boolean): void {
  const last = list.pop()!
  let at = list.length
  while (at > 0 && isAfter(list[at - 1]!)) at -= 1
  list.splice(at, 0, last)
}
