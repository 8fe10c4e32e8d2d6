import { parsePattern, type Lookaround, type PatternNode } from './pattern-syntax.ts'

/** Counts the work of a check; throws when it is too much for the size of the value. */
export type Spend = (steps: number) => void

/** Most states of one pattern, with the copies that counted repetitions such as `{2,50}` make. */
const MAX_PATTERN_STATES = 5000

/** Kinds of states: reads a character, branches, holds only at some positions, or accepts. */
const READ_STATE = 0
const SPLIT_STATE = 1
const ASSERT_STATE = 2
const ACCEPT_STATE = 3

/** States of an automaton, by number; `next` and `other` are where a state leads. */
interface Automaton {
  readonly kinds: number[]
  readonly next: number[]
  readonly other: number[]
  readonly reads: ((codePoint: number) => boolean)[]
  readonly holds: ((at: number) => boolean)[]
}

/** The text that is searched, as code points, and where each lookaround of the pattern holds. */
interface Subject {
  points: readonly number[]
  lookarounds: Uint8Array[]
}

/** The automata of a pattern, and the text that they look at. */
interface BuiltPattern {
  readonly subject: Subject
  readonly main: Automaton
  readonly lookarounds: readonly { readonly automaton: Automaton; readonly ahead: boolean }[]
}

/**
 * A pattern of a JSON Schema, in the syntax of `RegExp` with the flag `u`. All alternatives are followed at once, so that
 * the time of a search is at most the length of the text times the length of the pattern. Back-references are the one part of
 * the syntax that no such search has.
 */
export class LinearPattern {
  /** Number of its states. */
  readonly size: number
  readonly #node: PatternNode
  readonly #lookarounds: readonly Lookaround[]
  #built: BuiltPattern | undefined

  /** Throws an `Error` that says why the pattern cannot be used. */
  constructor(source: string) {
    const { node, lookarounds } = parsePattern(source)
    this.size = [node, ...lookarounds.map((each) => each.node)].reduce((sum, each) => sum + sizeOf(each), 0)
    if (this.size > MAX_PATTERN_STATES) {
      throw new Error(`has more than ${MAX_PATTERN_STATES} states; give shorter repetitions`)
    }
    this.#node = node
    this.#lookarounds = lookarounds
  }

  /** Tells whether the pattern matches anywhere in a text. */
  test(text: string, spend: Spend): boolean {
    const { subject, main, lookarounds } = (this.#built ??= this.#build())
    const points = Array.from(text, (character) => character.codePointAt(0)!)
    subject.points = points
    subject.lookarounds = []
    // A lookaround comes after those inside it.
    for (const { automaton, ahead } of lookarounds) {
      const found = new Uint8Array(points.length + 1)
      run(automaton, points, { backward: ahead, found }, spend)
      subject.lookarounds.push(found)
    }
    return run(main, points, { backward: false, found: undefined }, spend)
  }

  #build(): BuiltPattern {
    const subject: Subject = { points: [], lookarounds: [] }
    return {
      subject,
      main: build(this.#node, subject, false),
      lookarounds: this.#lookarounds.map(({ node, ahead }) => ({ automaton: build(node, subject, ahead), ahead })),
    }
  }
}

/** Number of states that a node becomes, with its repetitions. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'read':
    case 'assert':
      return 1
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 1)
    case 'choice':
      return node.parts.reduce((sum, part) => sum + sizeOf(part) + 1, 1)
    case 'repeat': {
      const copies = node.most === Infinity ? node.least + 1 : node.most
      return Math.max(1, copies) * (sizeOf(node.part) + 1)
    }
  }
}

/** Builds the automaton of a node; `reversed` reads its characters from the last to the first. */
function build(root: PatternNode, subject: Subject, reversed: boolean): Automaton {
  const automaton: Automaton = { kinds: [], next: [], other: [], reads: [], holds: [] }
  const add = (kind: number, next: number, other = -1): number => {
    automaton.next.push(next)
    automaton.other.push(other)
    return automaton.kinds.push(kind) - 1
  }
  /** Adds the states of a node in front of the state `next`; returns the first. */
  const before = (node: PatternNode, next: number): number => {
    switch (node.kind) {
      case 'read': {
        const state = add(READ_STATE, next)
        automaton.reads[state] = node.reads
        return state
      }
      case 'assert': {
        const state = add(ASSERT_STATE, next)
        automaton.holds[state] = (at) => node.holds(subject.points, at, subject.lookarounds)
        return state
      }
      case 'sequence': {
        const parts = reversed ? node.parts : node.parts.toReversed()
        return parts.reduce((after, part) => before(part, after), next)
      }
      case 'choice':
        return node.parts
          .map((part) => before(part, next))
          .reduceRight((after, first) => add(SPLIT_STATE, first, after))
      case 'repeat':
        return repeated(node, next)
    }
  }
  const repeated = ({ part, least, most }: Extract<PatternNode, { kind: 'repeat' }>, next: number): number => {
    let first = next
    if (most === Infinity) {
      const loop = add(SPLIT_STATE, -1, next)
      automaton.next[loop] = before(part, loop)
      first = loop
    } else {
      for (let copy = least; copy < most; copy++) first = add(SPLIT_STATE, before(part, first), next)
    }
    for (let copy = 0; copy < least; copy++) first = before(part, first)
    return first
  }
  // The first state is the last one that is made.
  add(ACCEPT_STATE, -1)
  add(SPLIT_STATE, before(root, 0))
  return automaton
}

/** How an automaton is run: against the text, or with the positions where it accepts. */
interface RunMode {
  readonly backward: boolean
  /** Is set to 1 at each position where the automaton accepts; undefined to stop at the first. */
  readonly found: Uint8Array | undefined
}

/** Runs an automaton over a text, beginning anew at each position; tells whether it accepts. */
function run(automaton: Automaton, points: readonly number[], { backward, found }: RunMode, spend: Spend): boolean {
  const { kinds, next, other, reads, holds } = automaton
  const start = kinds.length - 1
  const lastSeen = new Int32Array(kinds.length).fill(-1)
  const pending: number[] = []
  let active: number[] = []
  let isFound = false
  for (let step = 0; step <= points.length; step++) {
    const at = backward ? points.length - step : step
    const reached: number[] = []
    let accepts = false
    // What is reached without a character, each state once.
    active.push(start)
    let work = 0
    for (const first of active) {
      pending.push(first)
      for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
        if (state === -1 || lastSeen[state] === step) continue
        lastSeen[state] = step
        work++
        const kind = kinds[state]
        if (kind === READ_STATE) reached.push(state)
        else if (kind === ACCEPT_STATE) accepts = true
        else if (kind === SPLIT_STATE) pending.push(other[state]!, next[state]!)
        else if (holds[state]!(at)) pending.push(next[state]!)
      }
    }
    spend(work)
    if (accepts) {
      isFound = true
      if (!found) return true
      found[at] = 1
    }
    if (step === points.length) break
    const point = points[backward ? at - 1 : at]!
    active = reached.filter((state) => reads[state]!(point)).map((state) => next[state]!)
  }
  return isFound
}
