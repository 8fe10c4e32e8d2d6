/** Versions of a platform, as in `process.versions`. */
type Versions = Readonly<Record<string, string | undefined>>

/** Says that Node is too old for this framework; null for a newer one, and for other platforms, whose number of Node is only a claim. */
export function oldNodeText({ node, bun, deno, workerd }: Versions): string | null {
  if (node === undefined || (bun ?? deno ?? workerd) !== undefined) return null
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 19) ? null : `@x needs Node 22.19 or newer, and this is Node ${node}`
}

// Said at the first import: on an older Node a call fails in the middle, at a function that it does not have.
const text = oldNodeText(globalThis.process?.versions ?? {})
if (text !== null) globalThis.process.stderr.write(`${text}\n`)
