/** Reads a file by its path from the root. */
export type Read = (file: string) => string

const SNIPPET = /(<!-- from (?<file>[^#\s]+)(?:#(?<region>[\w-]+))? -->\n+)```\w*\n[^]*?```/g

/**
 * Copies code from files into a document. The fence below `<!-- from examples/a.ts -->` gets the whole file, the fence
 * below `<!-- from examples/a.ts#part -->` gets the lines between `// #region part` and `// #endregion`.
 */
export function withSnippets(document: string, read: Read): string {
  return document.replaceAll(SNIPPET, (...match) => {
    const { file = '', region } = match.at(-1) as { file?: string; region?: string }
    const text = region ? regionOf(read(file), region, file) : read(file)
    return `${match[1]}\`\`\`${file.slice(file.lastIndexOf('.') + 1)}\n${text.trim()}\n\`\`\``
  })
}

function regionOf(text: string, region: string, file: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`)
  const end = lines.findIndex((line, index) => index > start && line.trim() === '// #endregion')
  if (start === -1 || end === -1)
    throw new Error(`cannot show \`${file}#${region}\`: the file has no region \`${region}\``)
  const inside = lines.slice(start + 1, end)
  const indent = Math.min(...inside.filter((line) => line.trim()).map((line) => line.search(/\S/)))
  return inside.map((line) => line.slice(indent)).join('\n')
}
