/**
 * The vendors and what is tried with each, and the file that says when it last passed. The release and the documents read it:
 * nothing here imports a package.
 */

/** Vendors by their wires, with the name that documents show. */
export const VENDORS = {
  'openai-chat': 'OpenAI, chat completions',
  'openai-responses': 'OpenAI, responses',
  anthropic: 'Anthropic',
  google: 'Google',
} as const

/** A vendor, by its wire. */
export type VendorName = keyof typeof VENDORS

/** The capabilities that are tried with a vendor, in the order of their cost. */
export const CAPABILITIES = ['answer', 'blocking', 'stream', 'tools', 'typed', 'embeddings', 'search'] as const

/** A thing to try with a vendor. */
export type CapabilityName = (typeof CAPABILITIES)[number]

/** Tells whether a vendor has a capability at all. */
export const hasCapability = (vendor: VendorName, capability: CapabilityName): boolean =>
  capability !== 'embeddings' || vendor === 'openai-chat' || vendor === 'google'

/** The file, as a path from the root of the repository. */
export const EVIDENCE_FILE = 'etc/live.json'

/** When a capability was tried against the real vendor; days are in UTC, as `2026-01-31`. */
export interface Trial {
  /** Day of the last run that passed, and what it asked. */
  readonly passed?: { readonly day: string; readonly version: string; readonly model: string } | undefined
  /** Day and reason of a failure after that. */
  readonly failed?: { readonly day: string; readonly reason: string } | undefined
}

/** The trials by vendor and capability; absent for what was never tried. */
export type Evidence = Readonly<
  Partial<Record<VendorName, Readonly<Partial<Record<CapabilityName, Trial>>> | undefined>>
>

/** Adds trials to those before: a pass ends earlier failures, and a failure leaves the day of the last pass. */
export function withTrials(
  evidence: Evidence,
  trials: readonly { readonly vendor: VendorName; readonly capability: CapabilityName; readonly trial: Trial }[],
): Evidence {
  const added: Record<string, Record<string, Trial>> = structuredClone(evidence) as never
  for (const { vendor, capability, trial } of trials) {
    const known = (added[vendor] ??= {})
    known[capability] = trial.passed ? trial : { ...known[capability], ...trial }
  }
  return inOrder(added)
}

/** Sorts by the order of the tables, so that the file does not depend on the order of runs. */
function inOrder(evidence: Readonly<Record<string, Readonly<Record<string, Trial>>>>): Evidence {
  return Object.fromEntries(
    Object.keys(VENDORS)
      .filter((vendor) => evidence[vendor])
      .map((vendor) => [
        vendor,
        Object.fromEntries(
          CAPABILITIES.flatMap((name) => (evidence[vendor]![name] ? [[name, evidence[vendor]![name]]] : [])),
        ),
      ]),
  )
}

/** Days after which a trial does not count any more: vendors change. */
const FRESH_DAYS = 30

const MS_PER_DAY = 86_400_000

/** Lists what keeps a release from relying on the trials, on a day. */
export function staleTrials(evidence: Evidence, today: string): string[] {
  return triedPairs().flatMap(([vendor, capability]) => {
    const { passed, failed } = evidence[vendor]?.[capability] ?? {}
    const name = `${vendor} ${capability}`
    if (failed) return [`${name} failed on ${failed.day}`]
    if (!passed) return [`${name} was never run`]
    const age = Math.floor((Date.parse(today) - Date.parse(passed.day)) / MS_PER_DAY)
    return age > FRESH_DAYS ? [`${name} was run ${age} days ago, more than ${FRESH_DAYS}`] : []
  })
}

/** The pairs of a vendor and a capability that it has. */
export function triedPairs(): (readonly [VendorName, CapabilityName])[] {
  return (Object.keys(VENDORS) as VendorName[]).flatMap((vendor) =>
    CAPABILITIES.filter((capability) => hasCapability(vendor, capability)).map(
      (capability) => [vendor, capability] as const,
    ),
  )
}

/** The document with the table of trials, as a path from the root. */
export const EVIDENCE_DOCUMENT = 'docs/models.md'

const BLOCK = /(<!-- live -->\n)[^]*?(?=<!-- end -->)/u

/** Writes the table of trials into a document, between `<!-- live -->` and `<!-- end -->`. */
export function withEvidenceTable(document: string, evidence: Evidence): string {
  if (!BLOCK.test(document)) throw new Error('cannot write the table of trials: the document has no `<!-- live -->`')
  const cells = Object.entries(VENDORS).map(([vendor, shown]) => [
    shown,
    ...CAPABILITIES.map((capability) => cellOf(evidence, vendor as VendorName, capability)),
  ])
  const rows = [['vendor', ...CAPABILITIES], ...cells]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const [head, ...body] = rows.map(line)
  const table = [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n')
  return document.replace(BLOCK, (_, begin: string) => `${begin}\n${table}\n\n`)
}

function cellOf(evidence: Evidence, vendor: VendorName, capability: CapabilityName): string {
  if (!hasCapability(vendor, capability)) return '–'
  const { passed, failed } = evidence[vendor]?.[capability] ?? {}
  if (failed) return `failed ${failed.day}`
  return passed?.day ?? 'never'
}
