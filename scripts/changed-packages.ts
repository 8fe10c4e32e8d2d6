import { execFileSync } from 'node:child_process'
import { readApps, readPackages, root, shortName, type WorkspacePackage } from './workspace.ts'

const WORKSPACE: readonly WorkspacePackage[] = [...readPackages(), ...readApps()]

/** The folder of the scripts, which have tests and no manifest. */
export const SCRIPTS_FOLDER = 'scripts'

/** The folders whose tests run by themselves: packages, apps, scripts. */
export const FOLDERS: readonly string[] = [...WORKSPACE.map(({ folder }) => folder), SCRIPTS_FOLDER]

/** Finds the folders that contain these files (paths from the root); ignores files elsewhere. */
export function foldersOf(files: readonly string[]): string[] {
  return FOLDERS.filter((folder) => files.some((file) => file.startsWith(`${folder}/`)))
}

/** Finds the folders of packages by short name (`agent`) or folder; throws on an unknown name. */
export function foldersNamed(names: readonly string[]): string[] {
  return names.map((name) => {
    const found = WORKSPACE.find((each) => shortName(each.name) === name || each.folder === name.replace(/\/$/u, ''))
    if (found) return found.folder
    throw new Error(
      `cannot test \`${name}\`: the packages are ${WORKSPACE.map((each) => shortName(each.name)).join(', ')}`,
    )
  })
}

/** Adds the folders of all packages that depend on one of these folders, directly or by others. */
export function withDependants(
  folders: readonly string[],
  packages: readonly WorkspacePackage[] = WORKSPACE,
): string[] {
  const changed = new Set(folders)
  const names = new Set(packages.filter(({ folder }) => changed.has(folder)).map(({ name }) => name))
  // The loop also visits the names that it adds.
  for (const name of names) {
    for (const { name: dependant, manifest } of packages) {
      if (name in { ...manifest.dependencies, ...manifest.devDependencies }) names.add(dependant)
    }
  }
  const dependants = packages.filter(({ name }) => names.has(name)).map(({ folder }) => folder)
  return [...new Set([...folders, ...dependants])]
}

/** Reads which files differ from the last commit, new ones included. */
export function readUncommittedFiles(): string[] {
  return [git('diff', '--name-only', 'HEAD'), git('ls-files', '--others', '--exclude-standard')].flat()
}

/** Reads which files the last commit changed. */
export function readCommittedFiles(): string[] {
  return git('show', '--name-only', '--format=', 'HEAD')
}

function git(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
}
