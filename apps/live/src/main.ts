/**
 * Asks the real vendors what the other tests ask fakes, with the keys of the environment, and stops before a budget is exceeded.
 *
 *   pnpm live --budget 1                          all vendors with a key, at most one US dollar
 *   pnpm live --budget 1 --vendor anthropic       one of them; repeat it for several
 *   pnpm live --budget 1 --model google=gemini-3  another model than the cheap one of the table
 *
 * Successes are written to `etc/live.json` and the table of `docs/models.md`, the answers to `apps/live/recordings`, which
 * `pnpm test apps/live` replays. With `--base-url vendor=url` nothing is kept, since no vendor answered, unless `--out` names
 * another folder than this repository.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { VENDOR_SETTINGS } from './capabilities.ts'
import {
  EVIDENCE_DOCUMENT,
  EVIDENCE_FILE,
  VENDORS,
  withEvidenceTable,
  withTrials,
  type Evidence,
  type VendorName,
} from './evidence.ts'
import { runLive, type LiveReport, type LiveRow } from './live.ts'
import { writeRecording } from './recording.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const { values } = parseArgs({
  options: {
    budget: { type: 'string' },
    vendor: { type: 'string', multiple: true },
    model: { type: 'string', multiple: true, default: [] },
    'base-url': { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
  },
})

const baseUrls = byVendor('base-url', values['base-url'])
const day = new Date().toISOString().slice(0, 10)
const report = await runLive({
  budget: dollars(values.budget),
  vendors: values.vendor?.map((name) => vendorOf('vendor', name)),
  models: byVendor('model', values.model),
  baseUrls,
  env: process.env,
  day,
  onRow: (row) => console.log(lineOf(row)),
})
for (const { vendor, environmentKey } of report.withoutKey)
  console.log(`skipped  ${VENDORS[vendor]}: ${environmentKey} is not set`)
console.log(`spent $${report.spent.toFixed(6)} of $${values.budget}`)
const out = values.out ?? (values['base-url'].length === 0 ? root : undefined)
if (out === undefined) console.log('nothing is kept: no vendor answered')
else keep(report, out)
if (report.rows.length === 0 || report.rows.some(({ outcome }) => outcome !== 'passed')) process.exitCode = 1

/** A row of the table that is printed while it runs. */
function lineOf({ outcome, vendor, capability, model, requests, tokens, cost, reason }: LiveRow): string {
  const cells = [outcome.padEnd(7), vendor.padEnd(16), capability.padEnd(10), model.padEnd(22)]
  const counts = `${String(requests).padStart(2)} requests ${String(tokens).padStart(6)} tokens  $${cost.toFixed(6)}`
  return `${cells.join('  ')}  ${counts}${reason && `  ${reason}`}`
}

/** Writes trials, table and recordings below a folder. */
function keep({ rows, recordings }: LiveReport, folder: string): void {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/model/package.json'), 'utf8')) as { version: string }
  const known = JSON.parse(readFileSync(join(root, EVIDENCE_FILE), 'utf8')) as Evidence
  const trials = rows
    .filter(({ outcome }) => outcome !== 'skipped')
    .map(({ vendor, capability, model, outcome, reason }) => ({
      vendor,
      capability,
      trial: outcome === 'passed' ? { passed: { day, version, model } } : { failed: { day, reason } },
    }))
  const evidence = withTrials(known, trials)
  write(join(folder, EVIDENCE_FILE), `${JSON.stringify(evidence, null, 2)}\n`)
  write(
    join(folder, EVIDENCE_DOCUMENT),
    withEvidenceTable(readFileSync(join(root, EVIDENCE_DOCUMENT), 'utf8'), evidence),
  )
  const secrets = Object.values(VENDOR_SETTINGS).flatMap(({ environmentKey }) => process.env[environmentKey] ?? [])
  for (const { recording, identifiers } of recordings) {
    const file = join(folder, 'apps/live/recordings', `${recording.vendor}-${recording.capability}.json`)
    write(file, writeRecording(recording, secrets, identifiers))
  }
  console.log(`${recordings.length} recordings are kept: read and commit them`)
}

function write(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}

function dollars(text: string | undefined): number {
  const amount = Number(text)
  if (!text || !Number.isFinite(amount) || amount <= 0)
    throw new Error('cannot ask vendors without a limit: give `--budget` in US dollars, as in `--budget 1`')
  return amount
}

function byVendor(option: string, pairs: readonly string[]): Partial<Record<VendorName, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 0) throw new Error(`cannot read \`--${option} ${pair}\`: write \`--${option} vendor=value\``)
      return [vendorOf(option, pair.slice(0, at)), pair.slice(at + 1)]
    }),
  )
}

function vendorOf(option: string, name: string): VendorName {
  if (!Object.hasOwn(VENDORS, name))
    throw new Error(
      `cannot read \`--${option}\`: there is no vendor \`${name}\`; vendors are ${Object.keys(VENDORS).join(', ')}`,
    )
  return name as VendorName
}
