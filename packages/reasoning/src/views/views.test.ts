import type { XEvent } from '@x/interfaces'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { beam, bestFirst, forest, mcts, searchSync, ThinkNode, Tree, type SearchParts } from '../index.ts'
import { renderDot, renderMermaid } from './diagrams.ts'
import { PAGE_SCRIPT } from './html-assets.ts'
import { renderHtml } from './html.ts'
import { SearchProgress } from './progress.ts'
import { renderText } from './text.ts'
import { usageByNode } from './view-tree.ts'

const HOSTILE = '</script><script>alert(1)</script> "]; click \\ n0 & <img src=x onerror=alert(2)>\n`${1}`'

const parts: SearchParts = {
  proposer: {
    propose: ({ node }) => ({
      text: '',
      reflection: 'fine',
      options: [{ content: `good ${node.depth}` }, { content: HOSTILE }],
    }),
  },
  grader: {
    grade: ({ nodes }) => ({
      grades: nodes.map((node) => ({ value: node.content.startsWith('good') ? 0.9 : 0.1, details: 'Rating: 9' })),
    }),
  },
  answerer: { answer: () => ({ text: 'the answer' }) },
}

const searched = searchSync(`Q ${HOSTILE}`, { ...parts, method: beam({ beamSize: 1, maxDepth: 2 }) })
const [root] = searched.trees as [ThinkNode]
const best = searched.node

describe('renderText', () => {
  it('draws values, texts, the best path and dropped nodes in a given width', () => {
    const small = searchSync('Q', { ...parts, method: mcts({ nsim: 2, maxDepth: 1 }), random: () => 0 })
    expect(renderText(small.trees[0]!, { best: small.node, width: 60 })).toBe(
      [
        'Q',
        '├─★0.10 good 0 (1×)',
        '│  └─★0.10 ⇒ the answer',
        '└─ 0.10 </script><script>alert(1)</script> "]; click… (1×)',
        '   └─ 0.10 ⇒ the answer',
      ].join('\n'),
    )
    expect(
      renderText(root, { width: 40 })
        .split('\n')
        .every((line) => Array.from(line).length <= 40),
    ).toBe(true)
  })

  it('uses escape codes only with `color`, whatever the texts say', () => {
    expect(renderText(root)).not.toContain('\u001B')
    const harmful = new ThinkNode({ content: 'a\u001B[2J\u001B]0;b\u0007 \u202Ec' })
    const harms = /[\p{Cc}--\n]|\u202E/v
    for (const drawn of [renderText(harmful), renderDot(harmful)]) expect(drawn).not.toMatch(harms)
    const progress = new SearchProgress()
    searchSync(harmful.content, {
      ...parts,
      answerer: { answer: () => ({ text: harmful.content }) },
      emit: (event) => progress.take(event),
    })
    expect(progress.line()).not.toMatch(harms)
    expect(renderText(root, { color: true })).toContain('\u001B[')
  })
})

describe('renderMermaid', () => {
  it('lets no text break out of a label', () => {
    const drawn = renderMermaid(root, { best })
    expect(drawn.startsWith('flowchart TD\n')).toBe(true)
    for (const label of drawn.matchAll(/\["(.*)"\]/g)) expect(label[1]).not.toMatch(/["<>[\]`\\]|&(?!#)/)
    expect(drawn).toContain('n0 --> n0_0\n')
    expect(drawn).toMatch(/n0_0_0\["0\.90 · good 1"\]:::best/)
    expect(drawn).toMatch(/n0_1\[.*\]:::pruned/)
  })
})

describe('renderDot', () => {
  it('quotes labels and links children', () => {
    const drawn = renderDot(root, { best })
    expect(drawn).toContain('n0 -> n0_1\n')
    expect(drawn).toContain('visits: 0\\nvalue: 0.9"')
    // Every quoted string closes: what is left over holds no quote.
    expect(drawn.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')).not.toContain('"')
  })
})

describe('renderHtml', () => {
  const page = renderHtml([root], { best, answer: HOSTILE, status: 'accepted', used: searched.used })

  it('sends no request and forbids all', () => {
    expect(page).toContain(`default-src 'none'`)
    expect(page).not.toMatch(/(?:src|href)="(?!data:)/)
    expect(page).not.toMatch(/https?:\/\//)
  })

  it('shows texts of models as text', () => {
    expect(page.match(/<script/g)).toHaveLength(2)
    expect(page).not.toContain('<img')
    const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)![1]!
    const { runs } = JSON.parse(data) as { runs: { trees: { content: string; children: { content: string }[] }[] }[] }
    const [{ trees }] = runs as [(typeof runs)[number]]
    expect(trees[0]!.content).toBe(`Q ${HOSTILE}`)
    expect(trees[0]!.children[1]!.content).toBe(HOSTILE)
  })

  it('has a script that a browser can read', () => {
    expect(() => runInNewContext(`(() => {${PAGE_SCRIPT}})`)).not.toThrow()
  })

  it('draws a tree from a file', () => {
    expect(renderHtml([ThinkNode.fromDict(root.toDict())])).toContain('good 1')
  })
})

describe('every view', () => {
  const verified = searchSync('Q', { ...parts, verifier: () => true, method: bestFirst({ maxDepth: 1 }) })
  const pooled = searchSync('Q', { ...parts, method: beam({ beamSize: 2, maxDepth: 1 }) })
  const grove = searchSync('Q', { ...parts, method: forest(beam({ beamSize: 1, maxDepth: 1 }), { size: 2 }) })
  const views = { renderText, renderMermaid, renderDot, renderHtml }

  it.each(Object.entries(views))('draws a tree, several trees and a result: %s', (_, render) => {
    expect(render(root)).toBe(render([root]))
    expect(render({ trees: [root] })).toBe(render([root]))
    expect(render(searched)).toContain('the answer')
    expect(render(grove).match(/good 0/g)!.length).toBeGreaterThanOrEqual(2)
    expect(() => render(root, { bets: best } as object)).toThrow('bets')
  })

  it.each(Object.entries({ renderMermaid, renderDot }))('keeps nodes of equal ids apart: %s', (_, render) => {
    const other = new ThinkNode({ content: 'another Q' })
    const below = new ThinkNode({ content: 'another step', parent: other })
    const drawn = render([root, other])
    for (const { content } of [other, below, root.children[0]!]) expect(drawn.split(content)).toHaveLength(2)
    expect(drawn).toMatch(/ n0_tree1 --?> n0_0_tree1(?:\n|$)/)
    expect(drawn.match(/^ {2}\w+(?=[[(]| \[label)/gm)!.length).toBe(
      new Set(drawn.match(/^ {2}\w+(?=[[(]| \[label)/gm)).size,
    )
  })

  it('marks the path up to the answer, even if the answer is not a leaf of the tree', () => {
    expect(verified.node!.fate).not.toBe('answer')
    expect(renderText(verified)).toMatch(/★0\.90 good 0\n.*★1\.00 ⇒ the answer/)
    expect(renderText(pooled)).toMatch(/★0\.90 good 0\n.*★ {3}– ⇒ the answer|★ +– good 0\n.*★ +– ⇒ the answer/)
    expect(renderDot(verified)).toMatch(/n0_0_answer_0 \[.*penwidth=3/)
    expect(renderMermaid(pooled)).toMatch(/\(\["– · the answer"\]\):::best/)
  })

  it('keeps the ids of steps and answers apart', () => {
    const tree = new Tree({ question: 'Q', id: '' })
    tree.add(tree.root, 'a step')
    tree.add(tree.root, 'an answer', '0@0')
    expect(renderDot(tree.root)).toMatch(/n0 -> n0_0\n[^]*n0 -> n0_answer_0\n/)
  })

  it('has a default width for terminals of unknown width', () => {
    expect(renderText(root, { width: 0 })).toBe(renderText(root))
    expect(renderText(root, { width: undefined })).toBe(renderText(root))
    expect(new SearchProgress().line(0)).toBe(new SearchProgress().line())
  })
})

describe('the cost of nodes', () => {
  it('adds up to the cost of the search; several nodes share a call', () => {
    const used = { calls: 1, promptTokens: 30, completionTokens: 10, cost: 0 }
    const { proposer, grader, answerer } = parts
    const events: XEvent[] = []
    const result = searchSync('Q', {
      proposer: { propose: (...asked) => ({ ...(proposer.propose(...asked) as object), used }) as never },
      grader: { grade: (...asked) => ({ ...(grader.grade(...asked) as object), used }) as never },
      answerer: { answer: (...asked) => ({ ...(answerer.answer(...asked) as object), used }) as never },
      method: bestFirst({ maxDepth: 2 }),
      emit: (event) => void events.push(event),
    })
    const usage = usageByNode(events)
    const sum = (key: 'calls' | 'tokens'): number => [...usage.values()].reduce((total, each) => total + each[key], 0)
    expect(sum('calls')).toBeCloseTo(result.used.calls)
    expect(sum('tokens')).toBeCloseTo(40 * result.used.calls)
    expect(usage.get('0.0')!.calls).not.toBe(Math.round(usage.get('0.0')!.calls))
  })
})

describe('SearchProgress', () => {
  it('never shows the question as the best candidate', () => {
    const progress = new SearchProgress()
    const lines: string[] = []
    searchSync('The question', {
      ...parts,
      method: bestFirst({ maxDepth: 1 }),
      emit(event) {
        progress.take(event)
        lines.push(progress.line())
      },
    })
    expect(lines.some((line) => line.includes('best'))).toBe(true)
    expect(lines.filter((line) => line.includes('The question'))).toEqual([])
  })

  it('shows counts and the best candidate in one line', () => {
    const progress = new SearchProgress()
    const seen: XEvent[] = []
    searchSync('Q', {
      ...parts,
      method: beam({ beamSize: 1, maxDepth: 2 }),
      emit(event) {
        seen.push(event)
        progress.take(event)
      },
    })
    expect(progress.line()).toBe('7 calls · 0 tokens · 5 nodes · best 0.90 the answer')
    expect(progress.line(20)).toHaveLength(20)
    expect(JSON.parse(JSON.stringify(seen))).toEqual(seen)
  })
})
