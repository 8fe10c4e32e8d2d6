import { readFileSync } from 'node:fs'
import { modelsOf, RUNS, VENDOR_SETTINGS } from './capabilities.ts'
import { createReplayer, type Recording, type RecordedExchange } from './recording.ts'

/** Reads a recording that `pnpm live` has kept. */
export const readRecording = (file: string): Recording => JSON.parse(readFileSync(file, 'utf8')) as Recording

/** Runs a capability against its recording: each request has to equal a recorded one. */
export async function replayed({ vendor, capability, model, exchanges }: Recording): Promise<{
  result: unknown
  left: readonly RecordedExchange[]
}> {
  const { fetch, left } = createReplayer(exchanges)
  const llm = modelsOf(vendor, model, { apiKey: 'key', fetch, price: { input: 0, output: 0 } })
  return { result: await RUNS[capability](llm, VENDOR_SETTINGS[vendor].embeddingModel), left: left() }
}
