/**
 * Fuzzes readers of foreign text, and clients and servers.
 *
 *   pnpm fuzz                                all, one after the other
 *   pnpm fuzz 'requests to the web example'  those whose names hold the text
 *   --seconds <n>                            for each; default 10
 *   --seed <n>                               of the generated texts; default: the time
 *
 * What is found belongs into a file of `scripts/fuzz/seeds`, whose texts `pnpm test` reads.
 */
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz/engine.ts'
import { readSeeds, TARGETS } from './fuzz/targets.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '10' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
})
const [wanted = ''] = positionals
const names = [...TARGETS.keys()].filter((name) => name === wanted)
const chosen = names.length > 0 ? names : [...TARGETS.keys()].filter((name) => name.includes(wanted))
if (chosen.length === 0) {
  console.error(`no reader is called so; there are: ${[...TARGETS.keys()].join(', ')}`)
  process.exit(1)
}
const seeds = readSeeds()
let found = 0
for (const name of chosen) {
  const options = { seconds: Number(values.seconds), seed: Number(values.seed), seeds: seeds.get(name) ?? [] }
  const { texts, kept, blocks, findings } = await fuzz(TARGETS.get(name)!, options)
  console.log(`${name}: ${texts} texts, ${blocks} blocks of code, ${kept} kept, ${findings.length} found`)
  for (const { text, what } of findings) console.log(`  ${JSON.stringify(text)}\n  ${what.replaceAll('\n', '\n  ')}`)
  found += findings.length
}
console.log(`${found} found with --seed ${values.seed}`)
process.exit(found > 0 ? 1 : 0)
