/** The links of a Markdown document outside of its code: the targets of links, pictures, definitions and HTML. */
const LINK_PATTERN =
  /(?<code>^ {0,3}(?<fence>`{3,}|~{3,})[^]*?^ {0,3}\k<fence>|`[^`\n]+`)|(?<before>\]\(|^ {0,3}\[[^\]\n]+\]:\s+|\b(?:href|src)=")(?<target>[^)"\s]+)/gmu

/** Rewrites the relative links of a Markdown document; `absolute` gives the address for a link and its anchor. */
export function rewriteLinks(markdown: string, absolute: (link: string) => string): string {
  return markdown.replaceAll(LINK_PATTERN, (whole, ...rest) => {
    const { before, target } = rest.at(-1) as { readonly before?: string; readonly target?: string }
    return before === undefined || target === undefined || !isRelative(target) ? whole : before + absolute(target)
  })
}

/** Finds the relative links of a Markdown document, which lead nowhere once it is in a package. */
export function relativeLinks(markdown: string): string[] {
  const found: string[] = []
  rewriteLinks(markdown, (link) => {
    found.push(link)
    return link
  })
  return found
}

/** True for paths; an address has a scheme or no scheme but a host, and an anchor stays in the document. */
function isRelative(target: string): boolean {
  return !/^(?:[a-z][a-z+.-]*:|\/\/|#)/iu.test(target)
}
