import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ThoughtNode } from '../src/protocol.ts'
import { RichText } from './rich-text.tsx'

const NODE_WIDTH = 130
const NODE_HEIGHT = 46
const GAP_X = 18
const GAP_Y = 8

interface PlacedThought {
  readonly node: ThoughtNode
  readonly x: number
  readonly y: number
  readonly parent: PlacedThought | null
}

/** The tree of a search: each thought with its grade, the way to the best one set off. */
export function ThoughtTree({ thoughts }: { readonly thoughts: readonly ThoughtNode[] }): JSX.Element {
  const [chosen, setChosen] = useState<string | null>(null)
  const placed = place(thoughts)
  const best = wayTo(placed, thoughts.find(({ isBest }) => isBest)?.id ?? null)
  const width = Math.max(...placed.map(({ x }) => x)) + NODE_WIDTH
  const height = Math.max(...placed.map(({ y }) => y)) + NODE_HEIGHT
  const shown = thoughts.find(({ id }) => id === chosen)
  const box = useRef<HTMLDivElement>(null)
  const end = placed.findLast(({ node }) => best.has(node.id)) ?? placed[0]
  useLayoutEffect(() => {
    if (!box.current || !end) return
    box.current.scrollTop = end.y + NODE_HEIGHT / 2 - box.current.clientHeight / 2
    box.current.scrollLeft = end.x + NODE_WIDTH - box.current.clientWidth
  }, [thoughts])
  return (
    <>
      <div ref={box} class="thoughts" tabIndex={0}>
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          aria-label={`${thoughts.length} thoughts`}
          role="group"
        >
          {placed.map(({ node, x, y, parent }) =>
            parent ? (
              <path
                key={`way-${node.id}`}
                class={best.has(node.id) ? 'way best' : 'way'}
                d={wayBetween(parent, { x, y })}
              />
            ) : null,
          )}
          {placed.map(({ node, x, y }) => (
            <g
              key={node.id}
              class={`thought${best.has(node.id) ? ' best' : ''}${node.fate ? ' over' : ''}${node.id === chosen ? ' chosen' : ''}`}
              transform={`translate(${x} ${y})`}
              role="button"
              tabIndex={0}
              onClick={() => setChosen(node.id)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' && event.key !== ' ') return
                event.preventDefault()
                setChosen(node.id)
              }}
            >
              <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx="8" />
              <text x="10" y="19">
                {cut(node.text)}
              </text>
              <text class="grade" x="10" y="36">
                {node.grade === null ? 'no grade' : Number(node.grade.toFixed(2))}
                {node.fate ? ` · ${node.fate}` : ''}
              </text>
            </g>
          ))}
        </svg>
      </div>
      {shown && <RichText text={shown.text} />}
    </>
  )
}

/** The line from the right of a thought to the left of one that follows from it. */
function wayBetween(from: PlacedThought, to: Pick<PlacedThought, 'x' | 'y'>): string {
  const [begin, end] = [from.x + NODE_WIDTH, to.x]
  const [above, below] = [from.y + NODE_HEIGHT / 2, to.y + NODE_HEIGHT / 2]
  const middle = (begin + end) / 2
  return `M${begin} ${above}C${middle} ${above} ${middle} ${below} ${end} ${below}`
}

/** Characters of a thought that its box shows. */
const MAX_CHARACTERS = 17

function cut(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1)}…` : line
}

/** Places the thoughts: leaves below each other, and each on the left of the middle of what follows from it. */
function place(thoughts: readonly ThoughtNode[]): readonly PlacedThought[] {
  const children = Map.groupBy(thoughts, ({ parent }) => parent)
  const ids = new Set(thoughts.map(({ id }) => id))
  const roots = thoughts.filter(({ parent }) => parent === null || !ids.has(parent))
  const ys = new Map<string, number>()
  let next = 0
  // Children come behind their parents: from the end on, each has those that follow from it.
  const order: ThoughtNode[] = []
  const waiting = roots.toReversed()
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    order.push(node)
    for (const child of (children.get(node.id) ?? []).toReversed()) waiting.push(child)
  }
  for (const node of order) if (!children.has(node.id)) ys.set(node.id, next++ * (NODE_HEIGHT + GAP_Y))
  for (const node of order.toReversed()) {
    const behind = (children.get(node.id) ?? []).map(({ id }) => ys.get(id)!)
    if (behind.length > 0) ys.set(node.id, (behind[0]! + behind.at(-1)!) / 2)
  }
  const placed = new Map<string, PlacedThought>()
  for (const node of order) {
    const parent = node.parent === null ? null : (placed.get(node.parent) ?? null)
    placed.set(node.id, { node, parent, x: parent ? parent.x + NODE_WIDTH + GAP_X : 0, y: ys.get(node.id)! })
  }
  return [...placed.values()]
}

function wayTo(placed: readonly PlacedThought[], id: string | null): ReadonlySet<string> {
  const way = new Set<string>()
  for (let each = placed.find(({ node }) => node.id === id) ?? null; each; each = each.parent) way.add(each.node.id)
  return way
}
