import { existsSync, statSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { satteri } from '@astrojs/markdown-satteri'
import { addressOf } from './navigation.ts'
import type { Page } from './page.ts'
import { repositoryUrl, root } from './repository.ts'

type MarkdownPlugin = NonNullable<NonNullable<Parameters<typeof satteri>[0]>['mdastPlugins']>[number]

/** Where links of documents may lead to. */
export interface LinkTargets {
  /** Path under which the site stands, with slashes at both ends. */
  readonly base: string
  readonly pages: ReadonlyMap<string, Page>
  /** Pages of the reference by the name or the package that they describe. */
  readonly names: ReadonlyMap<string, Page>
  /** Gets every picture that a page shows, by its path from the root. */
  readonly shows: (picture: string) => void
}

/**
 * Leads the links of documents, which are relative to their file, to pages of the site; a file that is no page is shown by
 * the forge. The first mention of a public name or a package in a document leads to its reference. Comments are left out.
 */
export function siteLinks(targets: LinkTargets): MarkdownPlugin {
  return ({ fileURL }) => {
    if (!fileURL) return null
    const source = relative(root, fileURLToPath(fileURL)).replaceAll('\\', '/')
    const own = targets.pages.get(source)?.id
    const mentioned = new Set<string>()
    const lead = ({ url }: { url: string }): string => resolveLink(source, url, targets)
    return {
      name: 'site-links',
      link: (node, context) => context.setProperty(node, 'url', lead(node)),
      definition: (node, context) => context.setProperty(node, 'url', lead(node)),
      image: (node, context) => context.setProperty(node, 'url', lead(node)),
      html: (node, context) => {
        if (node.value.startsWith('<!--')) context.removeNode(node)
      },
      inlineCode: (node, context) => {
        const name = /^(?:(@[\w-]+\/[\w-]+)|(?:new )?(\p{L}\w+)(?:\(.*\))?)$/u.exec(node.value)?.slice(1).find(Boolean)
        const page = name === undefined || !isTelling(node.value) ? undefined : targets.names.get(name)
        if (name === undefined || !page || page.id === own || mentioned.has(name)) return
        if (!isPlain(context.parent(node)?.type)) return
        mentioned.add(name)
        context.wrapNode(node, { type: 'link', url: addressOf(page.id, targets.base), children: [] })
      },
    }
  }
}

/** The address for a link of a file; throws if it leads nowhere. */
export function resolveLink(source: string, link: string, { base, pages, shows }: LinkTargets): string {
  if (/^(?:[a-z][a-z+.-]*:|\/\/|#)/iu.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const target = posix.join(posix.dirname(source), path).replace(/\/$/u, '')
  const page = pages.get(target)
  const fragment = anchor === undefined ? '' : `#${anchor}`
  if (page) return addressOf(page.id, base) + fragment
  if (!existsSync(join(root, target))) throw new Error(`${source} links to \`${link}\`, but there is no \`${target}\``)
  if (/\.(?:svg|png)$/u.test(target)) {
    shows(target)
    return `${base}${target}`
  }
  return `${repositoryUrl()}/${statSync(join(root, target)).isDirectory() ? 'tree' : 'blob'}/main/${target}${fragment}`
}

/** True for a name that is surely one of the framework: `createAgent` or `tool(…)`, but not the word `tool`. */
function isTelling(code: string): boolean {
  return /^@|\p{Ll}\p{Lu}|^\p{Lu}\w*\p{Ll}|\(/u.test(code)
}

/** True for text in which a link may stand. */
function isPlain(parent: string | undefined): boolean {
  return parent === 'paragraph' || parent === 'tableCell' || parent === 'strong' || parent === 'emphasis'
}
