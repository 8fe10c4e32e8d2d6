import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Content } from './collect.ts'
import type { Page } from './page.ts'
import { read } from './repository.ts'

/**
 * Writes the site for readers that are programs: every document as it is in the repository, under the same path, so that the
 * links between them hold; `llms.txt`, a list of them; and `llms-full.txt`, the chapters one after the other.
 */
export function writeLlms(folder: string, base: string, { chapters, apart, unlisted }: Content): void {
  const documents = chapters.flatMap(({ pages }) => pages)
  const [home] = documents
  const lists = [...chapters, ...apart].map(({ label, pages }) => {
    const lines = pages.map(({ title, source, description }) => `- [${title}](${base}${source}): ${description}`)
    return `## ${label}\n\n${lines.join('\n')}\n`
  })
  for (const page of [...documents, ...apart.flatMap(({ pages }) => pages), ...unlisted])
    write(join(folder, page.source), textOf(page))
  write(join(folder, 'llms.txt'), [`# ${home!.title}\n\n> ${home!.description}\n`, ...lists].join('\n'))
  write(join(folder, 'llms-full.txt'), documents.map(textOf).join('\n\n'))
}

function textOf({ generated, title, text, source }: Page): string {
  return generated ? `# ${title}\n\n${text}\n` : read(source)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
