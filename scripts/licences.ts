/**
 * Checks the licences of whatever a user installs with the packages: those that ask for nothing but their own text, which is
 * in each package. Another one is a person's decision, and belongs into the list with its reason.
 */
import { execFileSync } from 'node:child_process'
import { root } from './workspace.ts'

/** Licences by their SPDX names. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
])

/** A row of `pnpm licenses list`. */
interface Licensed {
  readonly name: string
  readonly versions: readonly string[]
}

/** True if one of the alternatives of a licence is allowed, and all of its parts. */
const isAllowed = (licence: string): boolean =>
  licence
    .replaceAll(/[()]/gu, '')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((part) => ALLOWED.has(part.trim())))

const listed = execFileSync('pnpm', ['--filter', './packages/*', 'licenses', 'list', '--prod', '--json'], {
  cwd: root,
  encoding: 'utf8',
  shell: process.platform === 'win32',
})
const byLicence = Object.entries(JSON.parse(listed) as Record<string, readonly Licensed[]>)
const refused = byLicence.filter(([licence]) => !isAllowed(licence))
for (const [licence, packages] of refused)
  for (const { name, versions } of packages) console.log(`${name}@${versions.join(', ')} has the licence ${licence}`)
const count = byLicence.reduce((sum, [, packages]) => sum + packages.length, 0)
console.log(`${count} packages that are installed with ours, under ${byLicence.length} licences`)
if (refused.length > 0) {
  console.log('take another package, or add the licence to `scripts/licences.ts` with a reason')
  process.exitCode = 1
}
