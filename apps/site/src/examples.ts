import { posix } from 'node:path'
import type { Page } from './page.ts'
import { listFiles, packageManager, read } from './repository.ts'

/** Words of file names that are written otherwise in a title. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ag2: 'AG2',
  ai: 'AI',
  express: 'Express',
  hono: 'Hono',
  http: 'HTTP',
  json: 'JSON',
  mcp: 'MCP',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  cohere: 'Cohere',
  claude: 'Claude',
  ollama: 'Ollama',
  sdk: 'SDK',
}

/** An example and the documents that show a part of it. */
export interface Example {
  readonly page: Page
  readonly shownIn: readonly Page[]
}

/** Makes a page of each example, with its source, the command that runs it and the documents that show it. */
export function examplePages(documents: readonly Page[]): Example[] {
  const files = listFiles('examples/*.ts').filter(
    (file) => !/\.(?:test|fake)\.ts$/u.test(file) && !/first-programs\/(?!x\/)/u.test(file),
  )
  return files.map((file) => {
    const shownIn = documents.filter(({ text }) => new RegExp(`<!-- from ${file}[# ]`, 'u').test(text))
    return { page: examplePage(file, shownIn), shownIn }
  })
}

function examplePage(source: string, shownIn: readonly Page[]): Page {
  const code = read(source).trim()
  const comment = /^(?:\/\/ (.+)|\/\*\* (.+) \*\/)\n/u.exec(code)
  const said = comment && !comment[0].startsWith('// #region') ? (comment[1] ?? comment[2]) : undefined
  const guides = shownIn.map((page) => `[${page.title}](${posix.relative(posix.dirname(source), page.source)})`)
  const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`{3,}/gu)].map(([run]) => run.length + 1)))
  const text = [
    said ?? '',
    guides.length > 0 ? `Explained in ${guides.join(', ')}.` : '',
    /\/(?:first-programs|start)\//u.test(source)
      ? 'Run it in a clone of the repository, with a key in `OPENAI_API_KEY`:'
      : 'Run it in a clone of the repository, where it needs no key:',
    `\`\`\`sh\nnpx -y ${packageManager()} ${commandOf(source)}\n\`\`\``,
    `${fence}ts title="${source}"\n${code}\n${fence}`,
  ]
  return {
    id: source.replace(/\.ts$/u, ''),
    source,
    title: titleOf(source),
    description: said ?? (shownIn[0] ? `A program of “${shownIn[0].title}”.` : 'A program that runs without a key.'),
    text: text.filter(Boolean).join('\n\n'),
    generated: false,
    weight: 0.5,
  }
}

/** Programs run by themselves; the servers and providers are parts of programs, which tests run. */
function commandOf(source: string): string {
  const folder = posix.dirname(source)
  return /servers|providers/u.test(folder) ? `test ${folder}` : `example ${source}`
}

/** `examples/mcp-tools.ts` is called “MCP tools”. */
function titleOf(source: string): string {
  const name = posix.basename(source, '.ts').replace(/^\d-/u, '')
  const words = name.split('-').map((word) => SPELLINGS[word] ?? word)
  const title = words.join(' ')
  return title[0]!.toUpperCase() + title.slice(1)
}
