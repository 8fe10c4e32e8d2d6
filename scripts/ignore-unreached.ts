/**
 * Writes into `dist/.npmignore` of every package the files that its entries do not reach: declarations of internal
 * modules, modules of types alone, files of an earlier build. `npm pack` and `pnpm pack` obey it.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packedFiles } from './packed-files.ts'
import { filesBelow, readPackages, root } from './workspace.ts'

for (const each of readPackages()) {
  const dist = `${each.folder}/dist`
  const packed = new Set(packedFiles(each))
  const ignored = filesBelow(dist).filter((file) => !packed.has(file))
  // The leading slash excludes this path alone, not other files of the same name.
  const lines = ignored.map((file) => `/${file.slice(dist.length + 1)}\n`)
  writeFileSync(join(root, dist, '.npmignore'), lines.join(''))
}
