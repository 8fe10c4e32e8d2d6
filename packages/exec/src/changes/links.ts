import { lstatSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the path in a directory that a link leads to, by its name and target; null if the link leads out, or could. A target
 * that goes up after a name is refused, since the name may be a link itself.
 */
export function targetInside(name: string, target: string): string | null {
  if (target === '' || target.startsWith('/') || /^[a-z]:|\\|\0/iu.test(target)) return null
  const at = name.split('/').slice(0, -1)
  let hasNamed = false
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') {
      at.push(part)
      hasNamed = true
    } else if (hasNamed || at.pop() === undefined) return null
  }
  return at.join('/')
}

/** Returns true if a path of the user's directory goes through a link of the user's that leads out of it, or nowhere. */
export function leavesBy(root: string, path: string): boolean {
  let at = root
  for (const part of path.split('/')) {
    if (part === '') continue
    at = join(at, part)
    try {
      const stats = lstatSync(at, { throwIfNoEntry: false })
      if (!stats) return false
      if (stats.isSymbolicLink() && !`${realpathSync(at)}/`.startsWith(`${realpathSync(root)}/`)) return true
    } catch {
      return true
    }
  }
  return false
}
