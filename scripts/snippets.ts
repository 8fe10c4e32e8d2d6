/** Reads a file by its path from the root. */
export type Read = (file: string) => string

const SNIPPET = /(<!-- from (?<file>[^#\s]+)(?:#(?<region>[\w-]+))? -->\n+)```\w*\n[^]*?```/g

/**
 * Copies code from files into a document. The fence below `<!-- from examples/a.ts -->` gets the whole file, the fence
 * below `<!-- from examples/a.ts#part -->` gets the lines between `// #region part` and `// #endregion`,
 * of every region with that name. A part that does not begin with its imports cannot run alone: above the first one of a file
 * stands where the whole program is.
 */
export function withSnippets(document: string, read: Read): string {
  const shown = new Set<string>()
  return document.replaceAll(SNIPPET, (...match) => {
    const { file = '', region } = match.at(-1) as { file?: string; region?: string }
    const text = (region ? regionOf(read(file), region, file) : read(file)).trim()
    const isLoose = region !== undefined && !shown.has(file) && !text.startsWith('import ')
    shown.add(file)
    const origin = isLoose ? `// Part of ${file}\n` : ''
    return `${match[1]}\`\`\`${file.slice(file.lastIndexOf('.') + 1)}\n${origin}${text}\n\`\`\``
  })
}

/** The lines of all regions of a name, with a blank line between two. */
function regionOf(text: string, region: string, file: string): string {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (line.trim() === `// #region ${region}` ? [index + 1] : []))
  const parts = starts.map((start) => partFrom(lines, start))
  if (parts.length === 0 || parts.includes(null))
    throw new Error(`cannot show \`${file}#${region}\`: the file has no region \`${region}\``)
  return parts.join('\n\n')
}

/** The lines up to the end of a region without their indent; null for one that does not end. */
function partFrom(lines: readonly string[], start: number): string | null {
  const end = lines.findIndex((line, index) => index >= start && line.trim() === '// #endregion')
  if (end === -1) return null
  const inside = lines.slice(start, end)
  const indent = Math.min(...inside.filter((line) => line.trim()).map((line) => line.search(/\S/)))
  return inside.map((line) => line.slice(indent)).join('\n')
}
