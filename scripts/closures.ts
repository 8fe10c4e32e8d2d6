import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, type Manifest, type WorkspacePackage } from './workspace.ts'

/** The packages that an installer adds for one package, sorted by name: ours of this workspace, and others. */
export interface Closure {
  readonly ours: readonly string[]
  readonly others: readonly string[]
}

/** Reads which packages an installer adds for a package of the workspace. */
export function closureOf({ name, folder }: WorkspacePackage): Closure {
  const names = new Set<string>()
  const add = (from: string): void => {
    const { dependencies } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Manifest
    for (const each of Object.keys(dependencies ?? {})) {
      if (names.has(each)) continue
      names.add(each)
      add(installedFor(from, each))
    }
  }
  add(join(root, folder))
  const all = [...names].toSorted()
  return {
    ours: all.filter((each) => dirname(each) === dirname(name)),
    others: all.filter((each) => dirname(each) !== dirname(name)),
  }
}

/** Finds the folder of a dependency as Node does: in the `node_modules` of every folder above. */
function installedFor(folder: string, name: string): string {
  for (let above = realpathSync(folder); above !== dirname(above); above = dirname(above)) {
    const candidate = join(above, 'node_modules', name)
    if (existsSync(candidate)) return realpathSync(candidate)
  }
  throw new Error(`cannot find \`${name}\`, a dependency of ${folder}: run \`pnpm install\``)
}
