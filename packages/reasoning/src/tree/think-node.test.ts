import { describe, expect, it } from 'vitest'
import { ThinkNode } from './think-node.ts'

function grown(): { root: ThinkNode; step: ThinkNode; leaf: ThinkNode } {
  const root = new ThinkNode({ content: 'Q' })
  const step = new ThinkNode({ content: 'first', parent: root })
  return { root, step, leaf: new ThinkNode({ content: 'second', parent: step }) }
}

describe('ThinkNode', () => {
  it('attaches itself, counts its depth and writes its path', () => {
    const { root, step, leaf } = grown()
    expect(root.children).toEqual([step])
    expect([root.depth, step.depth, leaf.depth]).toEqual([0, 1, 2])
    expect([root.id, step.id, leaf.id]).toEqual(['0', '0.0', '0.0.0'])
    step.output = '42'
    expect(leaf.trajectory).toBe('Question:\nQ\n---\n\nStep 1: first\nOutput: 42\nStep 2: second')
    expect(String(leaf)).toBe('second -> Depth: 2 Value: 0 Visits: 0')
  })

  it('carries rewards to the root as means', () => {
    const { root, step, leaf } = grown()
    leaf.backpropagate(1)
    step.backpropagate(0.5)
    expect([leaf.visits, leaf.value]).toEqual([1, 1])
    expect([root.visits, root.value]).toEqual([2, 0.75])
  })

  it('is the same after a round trip through JSON', () => {
    const { root, leaf } = grown()
    leaf.reflection = 'hm'
    leaf.ratingDetails = 'Rating: 1'
    const text = JSON.stringify(root)
    const read = ThinkNode.fromDict(JSON.parse(text))
    expect(JSON.stringify(read)).toBe(text)
    expect(read.children[0]!.children[0]!.grade).toBe(0)
    expect(Object.keys(JSON.parse(text))).toEqual([
      'content',
      'value',
      'depth',
      'reflection',
      'rating_details',
      'output',
      'visits',
      'children',
    ])
  })

  it('reads a saved tree without the newer keys', () => {
    const read = ThinkNode.fromDict({ content: 'Q', value: 0.5, depth: 0, visits: 2, children: [] })
    expect(read.toDict()).toEqual({
      content: 'Q',
      value: 0.5,
      depth: 0,
      reflection: '',
      rating_details: '',
      output: null,
      visits: 2,
      children: [],
    })
  })

  it('refuses values that are not a tree', () => {
    expect(() => ThinkNode.fromDict({ content: 'Q', children: [{}] })).toThrow(/lacks/)
    const whole = new ThinkNode({ content: 'Q' }).toDict()
    for (const wrong of [{ reflection: 5 }, { rating_details: {} }, { output: ['7'] }])
      expect(() => ThinkNode.fromDict({ ...whole, ...wrong })).toThrow(/that is no text/)
  })

  it('handles very deep trees', () => {
    let node = new ThinkNode({ content: 'Q', id: '0' })
    const root = node
    for (let i = 0; i < 20_000; i++) node = new ThinkNode({ content: 'x', parent: node, id: String(i) })
    expect(node.depth).toBe(20_000)
    expect(node.path).toHaveLength(20_001)
    expect([...root.walk()]).toHaveLength(20_001)
    let data = root.toDict()
    while (data.children[0]) data = data.children[0]
    expect(data.depth).toBe(20_000)
    node.backpropagate(1)
    expect(root.value).toBe(1)
  })
})
