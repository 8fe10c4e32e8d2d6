/**
 * Renames the scope of all packages in names, imports, conditions and documents, and the address of the repository in
 * manifests.
 *
 *   pnpm rename-scope <scope> [--repository <address>]
 *
 * For example `acme --repository https://github.com/acme/agents`; then `pnpm install`, `pnpm fix` and `pnpm api`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { renameRepository, renameScope } from './scope.ts'
import { readManifest, repositoryUrl, root } from './workspace.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { repository: { type: 'string' } } })
const scope = positionals[0]?.replace(/^@/, '')
if (!scope || !/^[a-z0-9][a-z0-9-]*$/.test(scope)) {
  throw new Error(
    `cannot rename the scope to \`${scope ?? ''}\`: give lower-case letters, digits and hyphens, such as acme`,
  )
}
// Reads what is there from manifests, so that the script can run again.
const { name } = readManifest('packages/interfaces')
const from = name.slice(1, name.indexOf('/'))
const oldRepository = repositoryUrl()
const repository = (values.repository ?? oldRepository).replace(/(?:\.git)?\/?$/, '')
if (!/^https:\/\/[\w.-]+(?:\/[\w.-]+)+$/.test(repository)) {
  throw new Error(
    `cannot move the repository to \`${repository}\`: give an address such as https://github.com/acme/agents`,
  )
}
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
let count = 0
for (const file of files) {
  const path = join(root, file)
  // Binary files contain no package names; the lockfile does.
  const text = readFileSync(path, 'utf8')
  if (text.includes('\0')) continue
  const renamed = renameRepository(renameScope(text, from, scope), oldRepository, repository)
  if (renamed === text) continue
  writeFileSync(path, renamed)
  count++
}
console.log(`renamed @${from} to @${scope} in ${count} files; now run \`pnpm install\`, \`pnpm fix\` and \`pnpm api\``)
