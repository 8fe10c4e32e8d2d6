import xterm from '@xterm/headless'
import { escaped, FONT } from './terminal.ts'

/** A screen that stood for a time. */
interface Screen {
  readonly rows: readonly (readonly Run[])[]
  ms: number
}

/** A text in one style, from a column on. */
interface Run {
  readonly column: number
  readonly text: string
  readonly colour: string
  readonly bold: boolean
}

const COLUMN_PX = 7.8
const LINE_PX = 18
const MARGIN_PX = 16
/** Time for which the last screen stands. */
const LAST_MS = 4000
const GROUND = '#15171c'
const TEXT = '#d7dae0'
const DIM = '#8b93a3'
/** The eight colours of a terminal, and their bright forms. */
const COLOURS = ['#4b5263', '#ff8095', '#7dd3a0', '#f0c674', '#8ab4f8', '#d3a4f9', '#6fd6d6', '#d7dae0']

/** A terminal whose screens are kept, and drawn as one picture that moves. */
export class RecordedTerminal {
  readonly #terminal: InstanceType<typeof xterm.Terminal>
  readonly #screens: Screen[] = []

  constructor({ columns, rows }: { readonly columns: number; readonly rows: number }) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 })
  }

  /** Prints a text; the screen then stands for a time. */
  async print(text: string, ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write(text, resolve))
    const rows = this.#rows()
    const last = this.#screens.at(-1)
    if (last && JSON.stringify(last.rows) === JSON.stringify(rows)) last.ms += ms
    else this.#screens.push({ rows, ms })
  }

  /** Prints a text line by line; a line that is written anew is one too. */
  async printLines(text: string, ms: number): Promise<void> {
    const parts = text.split('\r\u001B[2K')
    for (const [index, part] of parts.entries())
      for (const line of `${index === 0 ? '' : '\r\u001B[2K'}${part}`.split(/(?<=\n)/u)) await this.print(line, ms)
  }

  /** Lets the screen stand for longer. */
  async pause(ms: number): Promise<void> {
    await this.print('', ms)
  }

  /** The text on the screen. */
  get text(): string {
    return this.#linesFrom(this.#terminal.buffer.active.baseY).join('\n')
  }

  /** Everything that was printed and not written over. */
  get words(): string {
    return `${this.#linesFrom(0).join('\n').trimEnd()}\n`
  }

  #linesFrom(first: number): string[] {
    const { active } = this.#terminal.buffer
    const rows = Array.from({ length: active.length - first }, (_, row) => active.getLine(first + row))
    return rows.map((line) => line?.translateToString(true) ?? '')
  }

  #rows(): readonly (readonly Run[])[] {
    const { active } = this.#terminal.buffer
    return Array.from({ length: this.#terminal.rows }, (_, row) => {
      const line = active.getLine(active.baseY + row)!
      const runs: Run[] = []
      for (let column = 0; column < line.length; column++) {
        const cell = line.getCell(column)!
        const text = cell.getChars() || ' '
        if (cell.getWidth() === 0) continue
        const bold = cell.isBold() !== 0
        const colour = cell.isFgPalette() ? COLOURS[cell.getFgColor() % 8]! : cell.isDim() ? DIM : TEXT
        const last = runs.at(-1)
        if (last && last.colour === colour && last.bold === bold)
          runs[runs.length - 1] = { ...last, text: last.text + text }
        else runs.push({ column, text, colour, bold })
      }
      return runs.map((run) => ({ ...run, text: run.text.trimEnd() })).filter((run) => run.text !== '')
    })
  }

  /**
   * Draws the screens below each other, as a film that is pulled up behind a window. Readers who ask for less motion see the last
   * screen.
   */
  picture(title: string): string {
    const { cols, rows } = this.#terminal
    const width = Math.ceil(cols * COLUMN_PX) + 2 * MARGIN_PX
    const height = rows * LINE_PX + 2 * MARGIN_PX
    this.#screens.at(-1)!.ms += LAST_MS
    const total = this.#screens.reduce((sum, { ms }) => sum + ms, 0)
    let at = 0
    const steps = this.#screens.map(({ ms }, index) => {
      const step = `${((at / total) * 100).toFixed(3)}%{transform:translateY(-${index * height}px)}`
      at += ms
      return step
    })
    // Lines that many screens have are written once.
    const ids = new Map<string, string>()
    const uses = this.#screens.map(({ rows: lines }, index) => {
      const shown = lines.flatMap((runs, row) => {
        if (runs.length === 0) return []
        const drawn = runs.map(drawnRun).join('')
        const id = ids.get(drawn) ?? `l${ids.size}`
        ids.set(drawn, id)
        return [`<use href="#${id}" y="${MARGIN_PX + row * LINE_PX}"/>`]
      })
      return `<g transform="translate(${MARGIN_PX} ${index * height})">${shown.join('')}</g>`
    })
    const lines = [...ids].map(([drawn, id]) => `<text id="${id}" y="13.5">${drawn}</text>`)
    const lastTop = (this.#screens.length - 1) * height
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
<style>@keyframes film{${steps.join('')}}.film{animation:film ${(total / 1000).toFixed(1)}s steps(1,end) infinite}@media(prefers-reduced-motion:reduce){.film{animation:none;transform:translateY(-${lastTop}px)}}</style>
<defs>${lines.join('\n')}</defs>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${GROUND}" stroke="#3a3f4b"/>
<svg width="${width}" height="${height}"><g class="film" font-family="${FONT}" font-size="13">
${uses.join('\n')}
</g></svg>
</svg>
`
  }
}

function drawnRun({ column, text, colour, bold }: Run): string {
  const length = (text.length * COLUMN_PX).toFixed(1)
  const weight = bold ? ' font-weight="700"' : ''
  return `<tspan x="${(column * COLUMN_PX).toFixed(1)}" textLength="${length}" fill="${colour}"${weight}>${escaped(text)}</tspan>`
}
