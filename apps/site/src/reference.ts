import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import {
  Application,
  Comment,
  Reflection,
  ReflectionKind,
  type DeclarationReflection,
  type ProjectReflection,
} from 'typedoc'
import { MarkdownPageEvent, type PluginOptions } from 'typedoc-plugin-markdown'
import { describe, type Page } from './page.ts'
import { repositoryUrl, root, type Package } from './repository.ts'

/** Names of the reference count less in a search than words of guides. */
const REFERENCE_WEIGHT = 0.5

const TYPE_KINDS = [ReflectionKind.Interface, ReflectionKind.TypeAlias]

/** The pages of one entry of a package. */
export interface ReferenceEntry {
  /** How a program imports it: `@x/agent/steps`. */
  readonly specifier: string
  /** The list of its names. */
  readonly page: Page
  readonly names: readonly ReferenceName[]
}

/** The page of one exported name. */
export interface ReferenceName {
  readonly name: string
  readonly page: Page
}

/** Makes the reference from the doc comments of the packages: a page for each exported name, and one for each entry. */
export async function makeReference(packages: readonly Package[], folder: string): Promise<ReferenceEntry[]> {
  // What several packages export has its page at the first: at the package that others take it from.
  const entries = packages
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .flatMap((each) => [...each.entries].map(([entry, file]) => ({ specifier: posix.join(each.name, entry), file })))
  const options: Partial<PluginOptions> = {
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hidePageTitle: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    indexFormat: 'table',
    tableColumnSettings: { hideModifiers: true, hideSources: true },
  }
  const application = await Application.bootstrapWithPlugins({
    ...options,
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: entries.map(({ file }) => join(root, file)),
    tsconfig: writeConfig(
      folder,
      entries.map(({ file }) => join(root, file)),
    ),
    // `pnpm check types` reports the errors, with the newest TypeScript.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    disableGit: true,
    // Paths begin where those of all entries part.
    sourceLinkTemplate: `${repositoryUrl()}/blob/main/packages/{path}#L{line}`,
    readme: 'none',
    router: 'kind',
    outputs: [{ name: 'markdown', path: join(folder, 'pages') }],
    logLevel: 'Error',
  })
  const project = await application.convert()
  if (!project) throw new Error('TypeDoc cannot read the entries of the packages')
  dropInherited(project)
  const written = new Map<Reflection, { url: string; text: string }>()
  application.renderer.on(MarkdownPageEvent.END, ({ model, url, contents }) => {
    if (model instanceof Reflection) written.set(model, { url, text: contents ?? '' })
  })
  await application.generateOutputs(project)
  return entries.map(({ specifier, file }) => {
    const module = project.children?.find(({ sources }) => sources?.[0]?.fullFileName === join(root, file))
    if (!module) throw new Error(`TypeDoc has not read \`${file}\``)
    const names = (module.children ?? []).filter((each) => written.has(each))
    const ids = idsOf(names)
    return {
      specifier,
      page: pageFor(module, folderOf(specifier), specifier, ''),
      names: names.map((each) => {
        const type = each.kindOf(TYPE_KINDS) ? 'type ' : ''
        const use = `\`\`\`ts\nimport ${type}{ ${each.name} } from '${specifier}'\n\`\`\``
        return { name: each.name, page: pageFor(each, `${folderOf(specifier)}/${ids.get(each)}`, each.name, use) }
      }),
    }
  })

  function pageFor(reflection: DeclarationReflection, id: string, title: string, use: string): Page {
    const { url, text } = written.get(reflection)!
    const summary = (reflection.comment ?? reflection.signatures?.[0]?.comment)?.summary
    return {
      id,
      source: `reference/${url}`,
      title,
      description: describe(Comment.combineDisplayParts(summary ?? [])),
      text: `${use}\n\n${text}`.trim(),
      generated: true,
      weight: REFERENCE_WEIGHT,
    }
  }
}

function rankOf({ folder }: Package): number {
  return ['packages/interfaces', 'packages/kernel'].indexOf(folder) >>> 0
}

/** Leaves out what classes have from others of the project: it stands on the page of the other. */
function dropInherited(project: ProjectReflection): void {
  for (const each of project.getReflectionsByKind(ReflectionKind.Class))
    for (const member of [...((each as DeclarationReflection).children ?? [])])
      if (member.inheritedFrom?.reflection) project.removeReflection(member)
}

/** The folder of an entry on the site: `@x/agent` stands beside the README of its package. */
function folderOf(specifier: string): string {
  const [, name = '', ...entry] = specifier.split('/')
  return ['reference', name, ...(entry.length > 0 ? entry : ['main'])].join('/')
}

/** Addresses of names: a type and a function whose names differ only in capital letters need different ones. */
function idsOf(reflections: readonly DeclarationReflection[]): Map<DeclarationReflection, string> {
  const ids = new Map<DeclarationReflection, string>()
  const taken = new Set<string>()
  for (const each of reflections.toSorted((a, b) => Number(a.kindOf(TYPE_KINDS)) - Number(b.kindOf(TYPE_KINDS)))) {
    const words = each.name
      .replace('OpenAI', 'Openai')
      .replaceAll(/(?<=\p{Ll}|\d)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, '-')
      .replaceAll('_', '-')
    const id = words.toLowerCase()
    ids.set(each, taken.has(id) ? `${id}-type` : id)
    taken.add(id)
  }
  return ids
}

/** Writes settings for the compiler that name the entries and nothing else: their tests would be read, too. */
function writeConfig(folder: string, files: readonly string[]): string {
  const file = join(folder, 'tsconfig.json')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const compilerOptions = { composite: false, rootDir: root, typeRoots: [join(root, 'node_modules/@types')] }
  writeFileSync(file, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }))
  return file
}
