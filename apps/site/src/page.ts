import { posix } from 'node:path'

/** A page of the site. */
export interface Page {
  /** Its address below the base, without slashes at the ends; empty for the first page. */
  readonly id: string
  /** The file that it is made from, by its path from the root: links of the text are relative to it. */
  readonly source: string
  readonly title: string
  /** One or two sentences for lists of pages. */
  readonly description: string
  /** Markdown without the title. */
  readonly text: string
  /** True if no file of the repository has this text. */
  readonly generated: boolean
  /** How much its words count in a search, beside 1 for a guide. */
  readonly weight: number
}

/** Makes a page of a Markdown file, whose first line is its title. */
export function pageOf(id: string, source: string, markdown: string, weight = 1): Page {
  const [, heading, text = ''] = /^# (.+)\n([^]*)$/u.exec(markdown) ?? []
  if (heading === undefined) throw new Error(`cannot make a page of \`${source}\`: its first line must be its title`)
  return { id, source, title: plain(heading), description: describe(text), text, generated: false, weight }
}

/** The pages of a site by the files that they are made from; a folder stands for its README. */
export function bySource(pages: readonly Page[]): ReadonlyMap<string, Page> {
  return new Map(
    pages.flatMap((page): [string, Page][] =>
      posix.basename(page.source) === 'README.md'
        ? [
            [page.source, page],
            [posix.dirname(page.source), page],
          ]
        : [[page.source, page]],
    ),
  )
}

/** The first sentences of a text, as many as fit into 200 characters, without markup. */
export function describe(text: string): string {
  const paragraph = text.split(/\n{2,}/u).find((each) => /^[\p{L}`*"“[\d]/u.test(each.trim())) ?? ''
  const sentences = plain(paragraph.replaceAll('\n', ' ').trim()).match(/.+?(?:[.:](?=\s|$)|$)/gu) ?? []
  let description = ''
  for (const sentence of sentences) {
    if (description && description.length + sentence.length > 200) break
    description += sentence
  }
  return description.trim().replace(/:$/u, '.')
}

/** A line of Markdown without links, code and emphasis. */
function plain(line: string): string {
  return line
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replaceAll(/[`*]|\\(?=[<>[\]_])/gu, '')
    .trim()
}
