import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from './page.ts'
import { read } from './repository.ts'

/** Pages under a heading. */
export interface Chapter {
  readonly label: string
  readonly pages: readonly Page[]
}

/**
 * Writes the site for readers that are programs: every document as it is in the repository, under the same path, so that the
 * links between them hold; `llms.txt`, a list of them; and `llms-full.txt`, all chapters but those in `apart` one after the other.
 */
export function writeLlms(folder: string, base: string, chapters: readonly Chapter[], apart: readonly Chapter[]): void {
  const [home, ...rest] = [chapters[0]!.pages[0]!, ...chapters.flatMap(({ pages }) => pages).slice(1)]
  const title = `# ${home.title}\n\n> ${home.description}\n`
  const lists = [...chapters, ...apart].map(
    ({ label, pages }) =>
      `## ${label}\n\n${pages.map((page) => `- [${page.title}](${base}${page.source}): ${page.description}`).join('\n')}\n`,
  )
  for (const { pages } of [...chapters, ...apart])
    for (const page of pages) write(join(folder, page.source), textOf(page))
  write(join(folder, 'llms.txt'), [title, ...lists].join('\n'))
  write(join(folder, 'llms-full.txt'), [home, ...rest].map(textOf).join('\n\n'))
}

function textOf({ generated, title, text, source }: Page): string {
  return generated ? `# ${title}\n\n${text}\n` : read(source)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
