import type { SearchEvent } from '@x/interfaces'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { beam, mcts, searchSync, ThinkNode, type SearchParts } from '../index.ts'
import { renderDot } from './dot.ts'
import { renderHtml } from './html.ts'
import { SCRIPT } from './html-script.ts'
import { renderMermaid } from './mermaid.ts'
import { SearchProgress } from './progress.ts'
import { renderText } from './text.ts'

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
  it('draws worth, text, the best path and what was dropped, in the width it is given', () => {
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

  it('uses escape codes only when told to', () => {
    expect(renderText(root)).not.toContain('\u001B')
    expect(renderText(root, { color: true })).toContain('\u001B[')
  })
})

describe('renderMermaid', () => {
  it('lets nothing out of a label', () => {
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

  it('asks for nothing and allows nothing to be asked for', () => {
    expect(page).toContain(`default-src 'none'`)
    expect(page).not.toMatch(/(?:src|href)="(?!data:)/)
    expect(page).not.toMatch(/https?:\/\//)
  })

  it('shows what models wrote as text', () => {
    expect(page.match(/<script/g)).toHaveLength(2)
    expect(page).not.toContain('<img')
    const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)![1]!
    const { trees } = JSON.parse(data) as { trees: { content: string; children: { content: string }[] }[] }
    expect(trees[0]!.content).toBe(`Q ${HOSTILE}`)
    expect(trees[0]!.children[1]!.content).toBe(HOSTILE)
  })

  it('has a script that a browser can read', () => {
    expect(() => runInNewContext(`(() => {${SCRIPT}})`)).not.toThrow()
  })

  it('draws a tree that was read from a file', () => {
    expect(renderHtml([ThinkNode.fromDict(root.toDict())])).toContain('good 1')
  })
})

describe('SearchProgress', () => {
  it('counts, and says the best in one line', () => {
    const progress = new SearchProgress()
    const seen: SearchEvent[] = []
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
