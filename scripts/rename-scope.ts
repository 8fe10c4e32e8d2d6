/**
 * Renames the scope of all packages in names, imports, conditions and documents.
 *
 *   pnpm rename-scope <scope>     for example `acme`; then `pnpm install` and `pnpm api`
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renameScope } from './scope.ts'
import { root, type Manifest } from './workspace.ts'

const scope = process.argv[2]?.replace(/^@/, '')
if (!scope || !/^[a-z0-9][a-z0-9-]*$/.test(scope)) {
  throw new Error(
    `cannot rename the scope to \`${scope ?? ''}\`: give lower-case letters, digits and hyphens, such as acme`,
  )
}
// Reads the present scope from a manifest, so that the script can run again.
const { name } = JSON.parse(readFileSync(join(root, 'packages/interfaces/package.json'), 'utf8')) as Manifest
const from = name.slice(1, name.indexOf('/'))
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
let count = 0
for (const file of files) {
  const path = join(root, file)
  // Binary files contain no package names; the lockfile does.
  const text = readFileSync(path, 'utf8')
  if (text.includes('\0')) continue
  const renamed = renameScope(text, from, scope)
  if (renamed === text) continue
  writeFileSync(path, renamed)
  count++
}
console.log(`renamed @${from} to @${scope} in ${count} files; now run \`pnpm install\`, \`pnpm fix\` and \`pnpm api\``)
