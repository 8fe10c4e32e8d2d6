import type { Manifest } from './workspace.ts'

/** Replaces an npm scope in a text; leaves addresses (`a@x.org`) and longer names (`@xyz/a`) alone. */
export function renameScope(text: string, from: string, to: string): string {
  return text.replaceAll(new RegExp(`(?<![\\w.-])@${from}(?![\\w-]|\\.\\w)`, 'g'), `@${to}`)
}

/** Replaces the address of the repository in a text; leaves longer addresses (`…/agents-next`) alone. */
export function renameRepository(text: string, from: string, to: string): string {
  const pattern = `${from.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\\w-]|\\.(?!git\\b)\\w)`
  return text.replaceAll(new RegExp(pattern, 'g'), () => to)
}

/** The fields of a package's manifest that lead to its sources, its page and the list of known faults. */
export function originOf(repository: string, folder: string): Pick<Manifest, 'repository' | 'homepage' | 'bugs'> {
  return {
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
    homepage: `${repository}/tree/main/${folder}#readme`,
    bugs: `${repository}/issues`,
  }
}
