/**
 * Fuzzes readers of foreign text, and clients and servers.
 *
 *   pnpm fuzz                                all, one after the other
 *   pnpm fuzz 'requests to the web example'  those whose names hold the text
 *   --seconds <n>                            for all of them together; default 10 for each
 *   --seed <n>                               of the generated texts; default: the time
 *
 * What is found belongs into a file of `scripts/fuzz/seeds`, whose texts `pnpm test` reads.
 */
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz/engine.ts'
import { SERVER_TARGETS } from './fuzz/server-targets.ts'
import { readSeeds, TARGETS } from './fuzz/targets.ts'

/** Seconds for each target. */
const DEFAULT_SECONDS = 10

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
})
const [wanted = ''] = positionals
const names = [...TARGETS.keys()].filter((name) => name === wanted)
const chosen = names.length > 0 ? names : [...TARGETS.keys()].filter((name) => name.includes(wanted))
if (chosen.length === 0) {
  console.error(`no reader is called so; there are: ${[...TARGETS.keys()].join(', ')}`)
  process.exit(1)
}
/** How much more time a client or server gets than a reader: it does more for each text. */
const SERVER_SHARE = 10

const shareOf = (name: string): number => (Object.hasOwn(SERVER_TARGETS, name) ? SERVER_SHARE : 1)
const shares = chosen.reduce((sum, name) => sum + shareOf(name), 0)
const secondsOf = (name: string): number =>
  values.seconds === undefined ? DEFAULT_SECONDS : (Number(values.seconds) * shareOf(name)) / shares
const seeds = readSeeds()
let found = 0
for (const name of chosen) {
  const options = { seconds: secondsOf(name), seed: Number(values.seed), seeds: seeds.get(name) ?? [] }
  const { texts, kept, blocks, findings } = await fuzz(TARGETS.get(name)!, options)
  console.log(`${name}: ${texts} texts, ${blocks} blocks of code, ${kept} kept, ${findings.length} found`)
  for (const { text, what } of findings) console.log(`  ${JSON.stringify(text)}\n  ${what.replaceAll('\n', '\n  ')}`)
  found += findings.length
}
console.log(`${found} found with --seed ${values.seed}`)
process.exit(found > 0 ? 1 : 0)
