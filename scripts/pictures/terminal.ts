/** A text in a terminal, as a picture. */
export interface Terminal {
  /** Says in a sentence what the picture shows, for readers who do not see it. */
  readonly title: string
  /** What stands there; a line with `$ ` in front is a command that a person has typed. */
  readonly lines: readonly string[]
}

/** Width of the terminal in characters. */
const COLUMNS = 92
const COLUMN_PX = 7.8
const LINE_PX = 18
const MARGIN_PX = 16
const COLOURS = {
  ground: '#15171c',
  frame: '#3a3f4b',
  text: '#d7dae0',
  dim: '#6b7280',
  prompt: '#7dd3a0',
  name: '#8ab4f8',
}

/** Fonts whose letters have one width. */
export const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

/** Draws a terminal. It is dark on light pages, too, so one picture serves both. */
export function terminalPicture({ title, lines }: Terminal): string {
  const shown = lines.flatMap(wrapped)
  const columns = Math.max(...shown.map((line) => line.length))
  const width = Math.ceil(columns * COLUMN_PX) + 2 * MARGIN_PX
  const height = shown.length * LINE_PX + 2 * MARGIN_PX
  const texts = shown.map((line, index) => {
    if (line === '') return ''
    const y = MARGIN_PX + (index + 0.75) * LINE_PX
    // Columns stay under each other in every font.
    const length = (line.length * COLUMN_PX).toFixed(1)
    return `<text x="${MARGIN_PX}" y="${y}" textLength="${length}" fill="${colourOf(line)}">${escaped(line)}</text>\n`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${COLOURS.ground}" stroke="${COLOURS.frame}"/>
<g font-family="${FONT}" font-size="13">
${texts.join('')}</g>
</svg>
`
}

function colourOf(line: string): string {
  if (line.startsWith('$ ')) return COLOURS.prompt
  if (/^(?:-{3,}|…)$/u.test(line)) return COLOURS.dim
  return /^[\w-]+ \(to [\w-]+\):$/u.test(line) ? COLOURS.name : COLOURS.text
}

/** Text of an SVG, which would make one blank of several. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00A0')

/** Breaks a line as a terminal of this width does, but between words where there are some. */
function wrapped(line: string): string[] {
  if (line.length <= COLUMNS) return [line]
  const end = line.lastIndexOf(' ', COLUMNS)
  return end < COLUMNS / 2
    ? [line.slice(0, COLUMNS), ...wrapped(line.slice(COLUMNS))]
    : [line.slice(0, end), ...wrapped(line.slice(end + 1))]
}
