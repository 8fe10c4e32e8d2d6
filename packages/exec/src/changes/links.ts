import { lstatSync, realpathSync } from 'node:fs'
import { join, posix } from 'node:path'
import { contentIn } from '../run/entries.ts'
import { plainName, riskOf, type RiskMark } from './risk-marks.ts'

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

/** Bytes of the settings of a repository that are read. */
const MAX_SETTINGS_BYTES = 65_536

const HOOKS_MARK: RiskMark = { reason: 'the settings of Git name it as a place of hooks' }

/**
 * Returns a function that returns the mark of a path in a directory of the user's to which a marked link of the user's leads,
 * such as `CLAUDE.md -> docs/rules.md`, or which the settings of its repository name as a place of hooks. Looks when it is
 * first asked.
 */
export function markedPlaces(root: string, links: () => Iterable<string>): (path: string) => RiskMark | undefined {
  let places: (readonly [place: string, mark: RiskMark])[] | undefined
  const find = (): (readonly [string, RiskMark])[] => {
    const found: (readonly [string, RiskMark])[] = []
    for (const name of links()) {
      const mark = riskOf(name, 'link')
      const place = mark && placeOf(root, name)
      if (place !== undefined) found.push([place, mark!])
    }
    const hooks = hooksPath(root)
    return hooks === undefined ? found : [...found, [hooks, HOOKS_MARK]]
  }
  return (path) => {
    places ??= find()
    if (places.length === 0) return undefined
    const plain = `${plainPath(path)}/`
    return places.find(([place]) => plain.startsWith(`${place}/`))?.[1]
  }
}

const plainPath = (path: string): string => path.split('/').map(plainName).join('/')

/** Returns the place of an entry of a directory in it, after all links; undefined if it is not there, or outside. */
function placeOf(root: string, name: string): string | undefined {
  try {
    return insidePath(realpathSync(root), realpathSync(join(root, name)))
  } catch {
    return undefined
  }
}

const insidePath = (root: string, path: string): string | undefined =>
  path.startsWith(`${root}/`) ? plainPath(path.slice(root.length + 1)) : undefined

/** Returns the place of hooks that the settings of a repository name, if it lies in the directory. */
function hooksPath(root: string): string | undefined {
  const settings = contentIn(root, '.git/config', MAX_SETTINGS_BYTES)
  if (!(settings instanceof Uint8Array)) return undefined
  for (const line of new TextDecoder().decode(settings).split('\n')) {
    const [key = '', ...values] = line.split('=')
    if (key.trim().toLowerCase() !== 'hookspath') continue
    const named = values.join('=').trim().replaceAll('"', '')
    const place = posix.normalize(named.startsWith('/') ? named : `${root}/${named}`)
    return (
      placeOf(root, posix.relative(root, place)) ?? insidePath(root, place.endsWith('/') ? place.slice(0, -1) : place)
    )
  }
  return undefined
}
