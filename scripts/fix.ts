/** Applies automatic fixes: lint, formatting, the code shown in documents, the tables of events and of trials with vendors. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVIDENCE_DOCUMENT, EVIDENCE_FILE, withEvidenceTable, type Evidence } from '../apps/live/src/evidence.ts'
import { EVENTS_DOCUMENT, readExamples, withEventTables } from './event-table.ts'
import { withSnippets } from './snippets.ts'
import { root } from './workspace.ts'

for (const [command, ...args] of [
  ['node', 'scripts/site-packages.ts'],
  ['oxlint', '--type-aware', '--fix'],
  ['oxfmt', '.'],
] as const) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exitCode = 1
}

for (const file of execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')) {
  const document = readFileSync(join(root, file), 'utf8')
  const shown = withSnippets(document, (each) => readFileSync(join(root, each), 'utf8'))
  if (shown !== document) writeFileSync(join(root, file), shown)
}

const trials = join(root, EVIDENCE_DOCUMENT)
const evidence = JSON.parse(readFileSync(join(root, EVIDENCE_FILE), 'utf8')) as Evidence
writeFileSync(trials, withEvidenceTable(readFileSync(trials, 'utf8'), evidence))

const events = join(root, EVENTS_DOCUMENT)
writeFileSync(events, withEventTables(readFileSync(events, 'utf8'), readExamples()))
