import { posix } from 'node:path'
import { examplePages, type Example } from './examples.ts'
import { figuresPage } from './figures.ts'
import type { NavigationNode } from './navigation.ts'
import { pageOf, type Page } from './page.ts'
import type { ReferenceEntry } from './reference.ts'
import { listFiles, read, type Package } from './repository.ts'
import { HOME, SECTIONS, type Section } from './sections.ts'

/** Words of decisions and of the reference count less in a search than those of guides. */
const REFERENCE_WEIGHT = 0.5
const DECISION_WEIGHT = 0.2
const DECISIONS = 'docs/decisions/README.md'

/** All that the site is built from. */
export interface Content {
  readonly pages: readonly Page[]
  readonly navigation: readonly NavigationNode[]
  /** The documents in the order in which they are read. */
  readonly order: readonly NavigationNode[]
  /** Documents for `llms-full.txt`, and those that it leaves out. */
  readonly chapters: readonly PageGroup[]
  readonly apart: readonly PageGroup[]
  /** Pages of single names, which no list of documents has. */
  readonly unlisted: readonly Page[]
  /** Pages of the reference by the name or the package that they describe. */
  readonly names: ReadonlyMap<string, Page>
}

/** Makes the pages and the navigation from the files of the repository and the reference. */
export function collect(packages: readonly Package[], entries: readonly ReferenceEntry[]): Content {
  refuseUnlisted()
  const home = pageOf('', HOME, read(HOME))
  const documents = new Map(SECTIONS.map((section) => [section, documentsOf(section)]))
  // Its file is `etc/figures.json`, so no list of documents has it.
  const concepts = documents.get(sectionIn('concepts'))!
  const { label, pages } = concepts.pop()!
  concepts.push({ label, pages: [...pages, figuresPage()] })
  const readmes = packages.map(({ folder }) =>
    pageOf(`reference/${posix.basename(folder)}`, `${folder}/README.md`, read(`${folder}/README.md`)),
  )
  const written = [
    home,
    ...[...documents.values()].flatMap((groups) => groups.flatMap(({ pages }) => pages)),
    ...readmes,
  ]
  const examples = examplePages(written)
  const exampleGroups = groupExamples(examples, documents)
  const exampleList = listPage(
    'examples',
    'Examples',
    'Programs to read, run and copy; the tests run them, too.',
    exampleGroups,
  )
  const referenceList = listPage('reference', 'Reference', 'Every package, with a page for each of its names.', [
    { label: 'Packages', pages: readmes },
    ...documents.get(sectionIn('reference'))!,
  ])
  const decisions = listFiles('docs/decisions/*.md').map((file) =>
    pageOf(
      file === DECISIONS ? 'decisions' : `decisions/${posix.basename(file, '.md')}`,
      file,
      read(file),
      DECISION_WEIGHT,
    ),
  )
  const names = entries.flatMap((entry) => entry.names)
  const guides = written.filter(({ id }) => id !== '').map((page) => ({ page, code: codeOf(page.text) }))
  const unlisted = names.map(({ name, page }) => withMentions(page, name, guides))
  const chapters = [
    ...[...documents].map(([{ label, folder }, groups]) => ({
      label,
      pages: [...(folder === 'start' ? [home] : []), ...groups.flatMap(({ pages }) => pages)],
    })),
    { label: 'Packages', pages: readmes },
  ]
  const sectionNode = (folder: string): NavigationNode => {
    const section = sectionIn(folder)
    const nodes = documents.get(section)!.map(groupNode)
    return { label: section.label, open: true, nodes: nodes.length === 1 ? nodes[0]!.nodes! : nodes }
  }
  const start = sectionNode('start')
  return {
    pages: [
      ...written,
      ...examples.map(({ page }) => page),
      exampleList,
      referenceList,
      ...decisions,
      ...entries.map(({ page }) => page),
      ...unlisted,
    ],
    navigation: [
      { ...start, nodes: [{ label: 'What it is', id: '' }, ...start.nodes!] },
      sectionNode('guides'),
      sectionNode('concepts'),
      {
        label: 'Reference',
        id: 'reference',
        nodes: [
          ...documents.get(sectionIn('reference'))!.flatMap(({ pages }) => pages.map(pageNode)),
          ...packageNodes(),
        ],
      },
      { label: 'Examples', id: 'examples', folded: true, nodes: exampleGroups.map(groupNode) },
      { label: 'Decisions', id: 'decisions', folded: true, nodes: decisionNodes(decisions) },
      { ...sectionNode('project'), folded: true },
    ],
    order: [
      home,
      ...['start', 'guides', 'concepts'].flatMap((folder) =>
        documents.get(sectionIn(folder))!.flatMap(({ pages }) => pages),
      ),
    ].map(pageNode),
    chapters,
    apart: [
      { label: 'Examples', pages: [exampleList, ...examples.map(({ page }) => page)] },
      { label: 'Names of the packages', pages: [referenceList, ...entries.map(({ page }) => page)] },
      { label: 'Decisions', pages: decisions },
    ],
    unlisted,
    names: new Map([...namesOf(entries), ...readmes.map((page) => [page.title, page] as const)]),
  }

  function packageNodes(): NavigationNode[] {
    return readmes.map((page) => {
      const [main, ...others] = entries.filter((entry) => entry.page.id.startsWith(`${page.id}/`)).map(entryNode)
      if (!main) return pageNode(page)
      return {
        ...pageNode(page),
        folded: true,
        nodes: [{ ...main, label: 'All names', nodes: undefined }, ...main.nodes, ...others],
      }
    })
  }
}

function entryNode({ specifier, page, names }: ReferenceEntry): { label: string; id: string; nodes: NavigationNode[] } {
  return { label: specifier, id: page.id, nodes: names.map(({ name, page: { id } }) => ({ label: name, id })) }
}

/**
 * The pages of names that a document may mention. Functions of the kernel and of steps are left out: a document that says
 * `runStream` means the method of an agent.
 */
function namesOf(entries: readonly ReferenceEntry[]): Map<string, Page> {
  const told = entries.flatMap(({ specifier, names }) =>
    /\/(?:kernel|agent\/steps)/u.test(specifier) ? names.filter(({ name }) => /^\p{Lu}/u.test(name)) : names,
  )
  return new Map(told.map(({ name, page }) => [name, page]))
}

/** Pages under a heading. */
export interface PageGroup {
  readonly label: string
  readonly pages: readonly Page[]
}

function documentsOf({ folder, groups }: Section): PageGroup[] {
  return groups.map(({ label, files }) => ({
    label,
    pages: files.map((file) => pageOf(`${folder}/${slugOf(file)}`, file, read(file))),
  }))
}

function slugOf(file: string): string {
  const name = posix.basename(file, '.md')
  return (name === 'README' ? posix.basename(posix.dirname(file)) : name).toLowerCase()
}

function sectionIn(folder: string): Section {
  return SECTIONS.find((section) => section.folder === folder)!
}

function refuseUnlisted(): void {
  const listed = new Set(SECTIONS.flatMap(({ groups }) => groups.flatMap(({ files }) => files)))
  const unlisted = listFiles('docs/*.md').filter((file) => !file.startsWith('docs/decisions/') && !listed.has(file))
  if (unlisted.length > 0)
    throw new Error(`${unlisted.join(', ')}: no section has it; add it to apps/site/src/sections.ts`)
}

/** Puts every example where the first document stands that shows it. */
function groupExamples(examples: readonly Example[], documents: ReadonlyMap<Section, PageGroup[]>): PageGroup[] {
  const groups = [...documents.values()].flat()
  const homeOf = ({ shownIn }: Example): string =>
    groups.find(({ pages }) => pages.some((page) => shownIn.includes(page)))?.label ??
    (shownIn.length > 0 ? 'Packages' : 'More')
  const labels = [...groups.map(({ label }) => label), 'Packages', 'More']
  return labels
    .map((label) => ({ label, pages: examples.filter((each) => homeOf(each) === label).map(({ page }) => page) }))
    .filter(({ pages }) => pages.length > 0)
}

/** A page that lists other pages. */
function listPage(id: string, title: string, description: string, groups: readonly PageGroup[]): Page {
  const source = `${id}/README.md`
  const lists = groups.map(({ label, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${posix.relative(id, page.source)}): ${page.description}`)
    return `## ${label}\n\n${lines.join('\n')}`
  })
  const text = [description, ...lists].join('\n\n')
  return { id, source, title, description, text, generated: true, weight: REFERENCE_WEIGHT }
}

/** Adds to the page of a name the guides that use it. Words in small letters mean too much else. */
function withMentions(page: Page, name: string, guides: readonly { page: Page; code: ReadonlySet<string> }[]): Page {
  const mentions = guides.filter(({ code }) => code.has(name))
  if (mentions.length === 0 || !/\p{Lu}/u.test(name)) return page
  const links = mentions.map(
    (guide) => `[${guide.page.title}](${posix.relative(posix.dirname(page.source), guide.page.source)})`,
  )
  return { ...page, text: `${page.text.trimEnd()}\n\n## Used in\n\n${links.join(', ')}.\n` }
}

/** The words in the code of a Markdown text: in blocks, and in pieces of sentences. */
function codeOf(text: string): ReadonlySet<string> {
  return new Set((text.match(/^```[^]*?^```|`[^`\n]+`/gmu) ?? []).join(' ').match(/[\p{L}_]\w*/gu))
}

/** The decisions under the headings of their list. */
function decisionNodes(decisions: readonly Page[]): NavigationNode[] {
  const list = decisions.find(({ source }) => source === DECISIONS)!
  const [subjects = ''] = list.text.split('\n## Where each number lives\n')
  return subjects
    .split(/^## /mu)
    .slice(1)
    .map((part) => ({
      label: part.slice(0, part.indexOf('\n')),
      nodes: [...part.matchAll(/\]\((\d{4}-[\w-]+\.md)\)/gu)].map(([, file]) =>
        pageNode(decisions.find(({ source }) => source.endsWith(`/${file}`))!),
      ),
    }))
}

function groupNode({ label, pages }: PageGroup): NavigationNode {
  return { label, nodes: pages.map(pageNode) }
}

function pageNode({ id, title }: Page): NavigationNode {
  return { label: title, id }
}
