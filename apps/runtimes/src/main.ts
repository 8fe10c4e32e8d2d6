/**
 * Tries the packed packages in every runtime: first calls, streams, tools, caches.
 *
 *   pnpm test:runtimes [name ...]     those whose names hold one of these texts
 *
 * Runtimes and bundlers come from the npm registry into `.cache/runtimes`, which is kept for the next time.
 */
import { join } from 'node:path'
import { RUNTIMES, type Runtime } from './runtimes.ts'
import { makeScratch } from './scratch.ts'
import { startServer } from './server.ts'

/** Length to which a fault is cut. */
const MAX_FAULT_CHARACTERS = 1500

const started = performance.now()
const wanted = process.argv.slice(2).map((text) => text.toLowerCase())
const scratch = await makeScratch(join(import.meta.dirname, '../../../.cache/runtimes'))
await using server = await startServer()
let passed = 0
let failed = 0
const pending = Object.entries(RUNTIMES).filter(
  ([name]) => wanted.length === 0 || wanted.some((text) => name.toLowerCase().includes(text)),
)
// Two at once fill a small machine.
await Promise.all([workThrough(), workThrough()])
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(`${passed} passed, ${failed} failed (${seconds} s)`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

async function workThrough(): Promise<void> {
  for (let next = pending.shift(); next; next = pending.shift()) await report(...next)
}

async function report(name: string, runtime: Runtime): Promise<void> {
  const from = performance.now()
  const rows = await runtime(scratch, server.url).catch((error: unknown) => [
    { name: 'its start', fault: error instanceof Error ? (error.stack ?? error.message) : String(error) },
  ])
  if (typeof rows === 'string') return console.log(`skip  ${name}: ${rows}`)
  const faults = rows.filter(({ fault }) => fault !== null)
  passed += rows.length - faults.length
  failed += faults.length
  const took = ((performance.now() - from) / 1000).toFixed(1)
  console.log(
    `${faults.length === 0 ? 'ok  ' : 'FAIL'}  ${name}: ${rows.length - faults.length} of ${rows.length} (${took} s)`,
  )
  for (const { name: trial, fault } of faults) console.log(`      ${trial}: ${fault?.slice(0, MAX_FAULT_CHARACTERS)}`)
}
