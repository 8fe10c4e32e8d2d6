import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { StepRow } from '../src/protocol.ts'
import { COLOURS, colourOf } from './colours.ts'
import { dollarsText, durationText } from './format.ts'
import { headOf } from './step-list.tsx'
import { type Bar, type Curve, type Layout, layoutOf, timeScale, type TimeScale } from './timeline-layout.ts'

const LANE_GAP = 6
const BAR_HEIGHT = 14
const BAR_GAP = 2
const RULER_HEIGHT = 28
const CURVE_HEIGHT = 34
/** Lanes beyond this number scroll. */
const MAX_HEIGHT = 380

interface Placed {
  readonly layout: Layout
  /** Top of each lane. */
  readonly tops: readonly number[]
  readonly height: number
}

/** A run along its time: a lane for each agent, chats above, and the money below. */
export function Timeline({
  rows,
  agents,
  chosen,
  choose,
}: {
  readonly rows: readonly StepRow[]
  readonly agents: readonly string[]
  readonly chosen: string | null
  readonly choose: (id: string) => void
}): JSX.Element | null {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(800)
  const [zoom, setZoom] = useState<readonly [number, number]>([0, 1])
  const [hovered, setHovered] = useState<{ readonly bar: Bar; readonly x: number; readonly y: number } | null>(null)
  const placed = useMemo(() => place(layoutOf(rows, agents)), [rows, agents])
  const scale = useMemo(() => timeScale(placed.layout, width, zoom), [placed, width, zoom])
  const theme = useTheme()
  useLayoutEffect(() => {
    const box = canvas.current?.parentElement
    if (!box) return undefined
    setWidth(box.clientWidth)
    const sizes = new ResizeObserver(() => setWidth(box.clientWidth))
    sizes.observe(box)
    return () => sizes.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (canvas.current) draw(canvas.current, placed, scale, { width, chosen, hovered: hovered?.bar.row.id ?? null })
  }, [placed, scale, width, chosen, hovered, theme])
  const drag = useRef<number | null>(null)
  const barAt = (event: MouseEvent): Bar | null => findBar(placed, scale, event.offsetX, event.offsetY)
  if (placed.layout.lanes.length === 0) return null
  const isZoomed = zoom[0] > 0 || zoom[1] < 1
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="lanes" style={{ maxHeight: `${MAX_HEIGHT}px` }}>
        <ol class="names" style={{ height: `${placed.height}px` }}>
          {placed.layout.lanes.map(({ name, agent }, index) => (
            <li
              key={name}
              style={{ top: `${placed.tops[index]}px` }}
              data-colour={colourOf(agents, agent) ?? 'none'}
              title={name}
            >
              {name}
            </li>
          ))}
          {placed.layout.curves.map(({ name }, index, { length }) => (
            <li key={name} style={{ top: `${placed.height - (length - index) * CURVE_HEIGHT + 8}px` }}>
              {name}
            </li>
          ))}
        </ol>
        <div class="plot">
          <canvas
            ref={canvas}
            role="img"
            aria-label={describe(placed.layout)}
            style={{ height: `${placed.height}px` }}
            onMouseMove={(event) => {
              const bar = barAt(event)
              setHovered(bar && { bar, x: event.offsetX, y: event.offsetY })
            }}
            onMouseLeave={() => setHovered(null)}
            onMouseDown={(event) => (drag.current = event.offsetX)}
            onMouseUp={(event) => {
              const from = drag.current
              drag.current = null
              if (from === null) return
              if (Math.abs(event.offsetX - from) > 6) {
                const [low, high] = [from, event.offsetX].toSorted((one, other) => one - other)
                const span = zoom[1] - zoom[0]
                setZoom([zoom[0] + (span * low!) / width, zoom[0] + (span * high!) / width])
                return
              }
              const bar = barAt(event)
              if (bar) choose(bar.row.id)
            }}
          />
          {hovered && <Tip {...hovered} width={width} />}
        </div>
      </div>
      <p class="zoom">
        {isZoomed ? (
          <button type="button" onClick={() => setZoom([0, 1])}>
            Show all
          </button>
        ) : (
          <span>Drag across the timeline to look closer.</span>
        )}
        {scale.isShortened && <span>Pauses are drawn shorter.</span>}
      </p>
    </section>
  )
}

function place(layout: Layout): Placed {
  const tops: number[] = []
  let top = RULER_HEIGHT + LANE_GAP
  for (const { depth } of layout.lanes) {
    tops.push(top)
    top += depth * (BAR_HEIGHT + BAR_GAP) + LANE_GAP
  }
  return { layout, tops, height: top + layout.curves.length * CURVE_HEIGHT }
}

function describe({ lanes, bars, curves, end, begin }: Layout): string {
  const spent = curves.map(({ name, total }) =>
    name === 'cost' ? dollarsText(total) : `${total.toLocaleString('en')} tokens`,
  )
  return `${bars.length} steps of ${lanes.map(({ name }) => name).join(', ')} in ${[durationText(end - begin), ...spent].join(', ')}; the list of steps has them all.`
}

/** Draws again when the colours change. */
function useTheme(): string {
  const [theme, setTheme] = useState('')
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const note = (): void => setTheme(`${query.matches} ${document.documentElement.dataset['theme'] ?? ''}`)
    const changes = new MutationObserver(note)
    changes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    query.addEventListener('change', note)
    return () => {
      changes.disconnect()
      query.removeEventListener('change', note)
    }
  }, [])
  return theme
}

function Tip({
  bar,
  x,
  y,
  width,
}: {
  readonly bar: Bar
  readonly x: number
  readonly y: number
  readonly width: number
}): JSX.Element {
  const { row } = bar
  const isRight = x > width / 2
  return (
    <div
      class="tip"
      style={isRight ? { right: `${width - x + 12}px`, top: `${y + 8}px` } : { left: `${x + 12}px`, top: `${y + 8}px` }}
    >
      <b>{headOf(row)}</b>
      <span>{row.text || row.result}</span>
      <small>
        {[
          row.ms === null ? 'running' : durationText(row.ms),
          row.tokens && `${row.tokens[0]} → ${row.tokens[1]} tokens`,
          row.cost ? dollarsText(row.cost) : null,
        ]
          .filter(Boolean)
          .join(' · ')}
      </small>
    </div>
  )
}

const topOf = ({ tops }: Placed, bar: Bar): number => tops[bar.lane]! + bar.level * (BAR_HEIGHT + BAR_GAP)

function findBar(placed: Placed, scale: TimeScale, x: number, y: number): Bar | null {
  let nearest: Bar | null = null
  let least = 5
  for (const bar of placed.layout.bars) {
    const top = topOf(placed, bar)
    if (y < top || y > top + BAR_HEIGHT + BAR_GAP) continue
    const [left, right] = [scale.x(bar.begin), Math.max(scale.x(bar.end), scale.x(bar.begin) + 2)]
    const away = x < left ? left - x : x > right ? x - right : 0
    if (away <= least) [nearest, least] = [bar, away]
  }
  return nearest
}

interface DrawOptions {
  readonly width: number
  readonly chosen: string | null
  readonly hovered: string | null
}

function draw(
  canvas: HTMLCanvasElement,
  placed: Placed,
  scale: TimeScale,
  { width, chosen, hovered }: DrawOptions,
): void {
  const { layout, height } = placed
  const ratio = window.devicePixelRatio || 1
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  const pen = canvas.getContext('2d')
  if (!pen) return
  pen.scale(ratio, ratio)
  const style = getComputedStyle(canvas)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const agents = Array.from({ length: COLOURS }, (_, index) => colour(`--agent-${index}`))
  const [line, quiet, ink, bad, accent] = ['--line', '--quiet', '--ink', '--bad', '--accent'].map(colour) as [
    string,
    string,
    string,
    string,
    string,
  ]
  pen.font = `11px ${style.fontFamily}`
  drawRuler(pen, scale, { width, height, line, quiet })
  for (const top of placed.tops.slice(1)) {
    pen.fillStyle = line
    pen.globalAlpha = 0.6
    pen.fillRect(0, top - LANE_GAP / 2, width, 1)
    pen.globalAlpha = 1
  }
  const drawn = new Set<string>()
  for (const bar of layout.bars) {
    const [left, right] = [scale.x(bar.begin), scale.x(bar.end)]
    if (right < 0 || left > width) continue
    const top = topOf(placed, bar)
    const breadth = Math.max(2, right - left)
    // Bars that would stand on the same pixels are drawn once.
    const spot = `${bar.lane} ${bar.level} ${breadth <= 2 ? Math.round(left) : left}`
    const isMarked = bar.row.id === chosen || bar.row.id === hovered
    if (!isMarked && breadth <= 2 && drawn.has(spot)) continue
    drawn.add(spot)
    const fill = bar.row.error ? bad : bar.colour === null ? quiet : agents[bar.colour]!
    pen.fillStyle = fill
    pen.globalAlpha =
      bar.row.kind === 'chat'
        ? 0.28
        : bar.row.kind === 'tool' || bar.row.kind === 'code'
          ? 0.55
          : bar.row.kind === 'humanInput'
            ? 0.25
            : 0.95
    pen.beginPath()
    pen.roundRect(left, top, breadth, BAR_HEIGHT, Math.min(3, breadth / 2))
    pen.fill()
    pen.globalAlpha = 1
    if (bar.row.kind === 'tool' || bar.row.kind === 'code') {
      pen.strokeStyle = fill
      pen.lineWidth = 1
      if (breadth > 3) pen.stroke()
    }
    if (isMarked) {
      pen.strokeStyle = bar.row.id === chosen ? ink : accent
      pen.lineWidth = 2
      pen.beginPath()
      pen.roundRect(left - 1.5, top - 1.5, breadth + 3, BAR_HEIGHT + 3, 4)
      pen.stroke()
    }
    if (breadth > 46) {
      pen.save()
      pen.beginPath()
      pen.rect(left + 4, top, breadth - 8, BAR_HEIGHT)
      pen.clip()
      pen.fillStyle =
        bar.row.kind === 'chat' || bar.row.kind === 'humanInput' || bar.row.kind === 'tool' || bar.row.kind === 'code'
          ? ink
          : colour('--on-agent')
      pen.fillText(bar.row.model ?? headOf(bar.row), left + 6, top + 10.5)
      pen.restore()
    }
  }
  const { curves, end } = placed.layout
  for (const [index, curve] of curves.entries()) {
    const bottom = placed.height - 4 - (curves.length - 1 - index) * CURVE_HEIGHT
    drawCurve(pen, curve, scale, { width, bottom, end, accent, quiet, line })
  }
}

function drawRuler(
  pen: CanvasRenderingContext2D,
  scale: TimeScale,
  {
    width,
    height,
    line,
    quiet,
  }: { readonly width: number; readonly height: number; readonly line: string; readonly quiet: string },
): void {
  for (const { x, text } of scale.ticks) {
    if (x < -1 || x > width) continue
    pen.fillStyle = line
    pen.fillRect(Math.round(x), RULER_HEIGHT - 4, 1, height - RULER_HEIGHT)
    pen.fillStyle = quiet
    pen.fillText(text, Math.min(x + 4, width - 44), 13)
  }
  for (const { from, to, text } of scale.pauses) {
    if (to < 0 || from > width) continue
    pen.save()
    pen.fillStyle = line
    pen.globalAlpha = 0.5
    pen.fillRect(from, RULER_HEIGHT, to - from, height - RULER_HEIGHT)
    pen.restore()
    pen.fillStyle = quiet
    if (to - from > 34) pen.fillText(text, from + 4, RULER_HEIGHT - 3)
  }
}

function drawCurve(
  pen: CanvasRenderingContext2D,
  { name, points, total }: Curve,
  scale: TimeScale,
  {
    width,
    bottom,
    end,
    accent,
    quiet,
    line,
  }: {
    readonly width: number
    readonly bottom: number
    readonly end: number
    readonly accent: string
    readonly quiet: string
    readonly line: string
  },
): void {
  const tall = CURVE_HEIGHT - 12
  pen.fillStyle = line
  pen.fillRect(0, bottom, width, 1)
  const y = (sum: number): number => bottom - (tall * sum) / total
  pen.beginPath()
  pen.moveTo(0, bottom)
  let before = 0
  for (const { time, sum } of points) {
    const x = scale.x(time)
    pen.lineTo(x, y(before))
    pen.lineTo(x, y(sum))
    before = sum
  }
  pen.lineTo(Math.max(width, scale.x(end)), y(before))
  pen.strokeStyle = accent
  pen.lineWidth = 1.5
  pen.stroke()
  pen.lineTo(Math.max(width, scale.x(end)), bottom)
  pen.closePath()
  pen.globalAlpha = 0.14
  pen.fillStyle = accent
  pen.fill()
  pen.globalAlpha = 1
  pen.fillStyle = quiet
  const text = name === 'cost' ? dollarsText(total) : total.toLocaleString('en')
  pen.fillText(text, width - pen.measureText(text).width - 6, y(total) - 3)
}
