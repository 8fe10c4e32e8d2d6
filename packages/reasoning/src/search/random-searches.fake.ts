import type { SpanEvent, XEvent } from '@x/interfaces'
import { expect } from 'vitest'
import {
  abMcts,
  auto,
  beam,
  bestFirst,
  bestOfN,
  dfs,
  forest,
  gradedMcts,
  lats,
  mcts,
  reflectiveMcts,
  seededRandom,
  type Method,
  type ThinkNode,
} from '../index.ts'
import type { PerformingParts } from './perform-elsewhere.ts'

/** Parts whose results depend on everything that a request and its nodes say; on grades where the order is always the same. */
export function partsOf(seed: number, verified: boolean, isSerial: boolean = false): PerformingParts {
  const random = seededRandom(seed)
  const used = (calls: number) => ({ calls, promptTokens: 7, completionTokens: 3, cost: 0.25, model: 'm' })
  const shown = (nodes: readonly ThinkNode[]): string =>
    nodes.map((node) => [node.id, node.depth, node.trajectory, node.reflection, isSerial && node.grade]).join('\n')
  return {
    proposer: {
      propose({ node, context, repair, sample, model = '' }) {
        const text = `${shown([node])}${context}${repair}${sample}${model}`
        const count = repair === null && random(`none${text}`) < 0.1 ? 0 : 1 + Math.floor(random(text) * 3)
        const options = Array.from({ length: count }, (_, i) => ({
          content: random(`${text}${i}`) < 0.1 ? 'TERMINATE' : `step ${Math.floor(random(`${text}${i}`) * 1e6)}`,
          output: i === 1 ? 'printed' : null,
        }))
        return { text: 'not readable', reflection: `on ${node.id}`, options, used: used(1), warnings: ['slow'] }
      },
    },
    grader: {
      grade: ({ nodes, isOutcome, context, sample }) => ({
        grades: nodes.map((node) => {
          const value = random(`${shown([node])}${isOutcome}${context}${sample}`)
          return { value: value < 0.05 ? null : value, details: `Rating ${value}` }
        }),
        used: used(1),
      }),
    },
    answerer: {
      answer({ from, sample }) {
        if (random(`fails${sample}`) < 0.1) throw new Error('the model was tired')
        return { text: `answer ${Math.floor(random(shown(from) + sample) * 9)}`, used: used(1) }
      },
      merge: ({ answers, question }) => ({ text: `${question}: ${answers.join(', ')}`, used: used(1) }),
    },
    ...(verified && { verifier: (text) => text.endsWith('7') }),
  }
}

/** Methods by name, with small settings. */
export const METHODS: Readonly<Record<string, () => Method>> = {
  beam: () => beam({ beamSize: 3, maxDepth: 3 }),
  'beam, per parent': () => beam({ beamSize: 2, maxDepth: 3, gradeMode: 'per-parent' }),
  dfs: () => dfs({ maxDepth: 3 }),
  mcts: () => mcts({ nsim: 6, maxDepth: 3 }),
  lats: () => lats({ nsim: 4, maxDepth: 3 }),
  'best first': () => bestFirst({ expansions: 6, maxDepth: 3, acceptAt: 2 }),
  'graded mcts': () => gradedMcts({ nsim: 6, acceptAt: 2, maxDepth: 3 }),
  'ab mcts': () => abMcts({ nsim: 8, maxDepth: 2, acceptAt: 2 }),
  'reflective mcts': () => reflectiveMcts({ nsim: 3, maxDepth: 2, acceptAt: 2 }),
  'best of n': () => bestOfN({ n: 5 }),
  auto: () => auto({ width: 2, maxDepth: 2, minGain: 0.02 }),
  forest: () => forest(beam({ beamSize: 2, maxDepth: 2 }), { size: 3 }),
}

/** A node of a tree, as events tell it. */
interface ToldNode {
  readonly parent: string | null
  readonly content: string
  grade: number | null
  fate: string
}

/** Reads the trees of a search from its events; a node that was told again is the same one. */
function readTrees(events: readonly XEvent[]): ReadonlyMap<string, ToldNode> {
  const nodes = new Map<string, ToldNode>()
  for (const event of events) {
    if (event.type === 'searchNode') {
      const { node, parent, content } = event
      expect(parent === null || nodes.has(parent)).toBe(true)
      nodes.set(node, { parent, content, grade: null, fate: 'open' })
    } else if (event.type === 'searchGrade') nodes.get(event.node)!.grade = event.grade
    else if (event.type === 'searchFate') nodes.get(event.node)!.fate = event.fate
  }
  return nodes
}

/** Checks that events tell every node of trees as it is. A method may have cut further ones. */
export function expectTrees(events: readonly XEvent[], trees: readonly ThinkNode[]): void {
  const told = readTrees(events)
  for (const node of trees.flatMap((root) => [...root.walk()])) {
    const { grade, fate } = node
    // A path without further options ends with this line, as in AG2.
    const content = node.content.replace(/\nTERMINATE$/u, '')
    expect(told.get(node.id)).toEqual({ parent: node.parent?.id ?? null, content, grade, fate })
  }
}

/** A start of a span, with the number of its ends. */
export interface ToldSpan {
  readonly start: SpanEvent
  readonly parentId: string | null
  end: SpanEvent | null
}

/**
 * Reads the spans of one process, and checks them: numbers and times grow, every start has one end after it, parents are
 * open, and no id comes twice.
 */
export function readSpans(events: readonly XEvent[], outer: string | null = null): ReadonlyMap<string, ToldSpan> {
  const spans = new Map<string, ToldSpan>()
  let [seq, time] = [-1, 0]
  for (const event of events) {
    const { runId, parentId } = event
    expect(runId).toBe(events[0]!.runId)
    expect(event.seq).toBeGreaterThan(seq)
    expect(event.time).toBeGreaterThanOrEqual(time)
    ;({ seq, time } = event)
    if (parentId !== outer) expect(spans.get(parentId!)).toMatchObject({ end: null })
    if (!('id' in event) || event.type === 'approvalRequested') continue
    if (event.type.endsWith('Start')) {
      expect(spans.has(event.id)).toBe(false)
      spans.set(event.id, { start: event, parentId, end: null })
    } else {
      const span = spans.get(event.id)
      expect(span).toMatchObject({ parentId, end: null })
      span!.end = event
    }
  }
  for (const { end } of spans.values()) expect(end).not.toBeNull()
  return spans
}
