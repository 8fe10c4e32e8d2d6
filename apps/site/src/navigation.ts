/** A line of the navigation: a page, a heading, or both. */
export interface NavigationNode {
  readonly label: string
  /** The page that the line leads to. */
  readonly id?: string
  readonly nodes?: readonly NavigationNode[] | undefined
  /** True if the nodes below are listed only on their own pages and on the page of this one. */
  readonly folded?: boolean
  /** True if the nodes below can be seen without a click on every page. */
  readonly open?: boolean
}

/** A link or a group in the form that Starlight shows. */
export type SidebarEntry =
  | {
      type: 'link'
      label: string
      href: string
      isCurrent: boolean
      badge: undefined
      attrs: Record<string, string>
    }
  | { type: 'group'; label: string; entries: SidebarEntry[]; collapsed: boolean; badge: undefined }

type SidebarLink = Extract<SidebarEntry, { type: 'link' }>

/** The address of a page, with the path under which the site stands. */
export function addressOf(id: string, base: string): string {
  return id === '' ? base : `${base}${id}/`
}

/** The navigation as one page shows it: folded parts are open where the page is. */
export function sidebarFor(nodes: readonly NavigationNode[], id: string, base: string): SidebarEntry[] {
  return nodes.map((node) => {
    const { label, folded = false, open = false } = node
    const here = contains(node, id)
    const link = node.id === undefined ? [] : [linkTo(label, node.id, id, base)]
    if (!node.nodes || (folded && !here)) return link[0] ?? linkTo(label, firstPage(node), id, base)
    return {
      type: 'group',
      label,
      entries: [...link.map((each) => ({ ...each, label: 'Overview' })), ...sidebarFor(node.nodes, id, base)],
      collapsed: !here && !open,
      badge: undefined,
    }
  })
}

/** The pages before and after a page, among those that are read one after the other. */
export function neighboursOf(
  order: readonly NavigationNode[],
  id: string,
  base: string,
): { prev: SidebarLink | undefined; next: SidebarLink | undefined } {
  const at = order.findIndex((node) => node.id === id)
  const linkAt = (index: number): SidebarLink | undefined => {
    const node = at === -1 ? undefined : order[index]
    return node?.id === undefined ? undefined : linkTo(node.label, node.id, id, base)
  }
  return { prev: linkAt(at - 1), next: linkAt(at + 1) }
}

function contains({ id, nodes = [] }: NavigationNode, wanted: string): boolean {
  return id === wanted || nodes.some((node) => contains(node, wanted))
}

function firstPage({ id, nodes = [] }: NavigationNode): string {
  return id ?? firstPage(nodes[0]!)
}

function linkTo(label: string, id: string, current: string, base: string): SidebarLink {
  return { type: 'link', label, href: addressOf(id, base), isCurrent: id === current, badge: undefined, attrs: {} }
}
