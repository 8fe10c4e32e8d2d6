/** Runs the demo; on a simulated model unless a key or a server is given, and recorded in the file of `--record`. */
import { parseArgs } from 'node:util'
import { isXError } from '@x/kernel'
import { openRecords } from '@x/records'
import { demo } from './demo.ts'

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    model: { type: 'string', default: 'gpt-5-mini' },
    record: { type: 'string' },
  },
})

try {
  const records = values.record === undefined ? undefined : openRecords(values.record)
  await demo({
    baseUrl: values['base-url'],
    model: values.model,
    apiKey: process.env['OPENAI_API_KEY'],
    write: (text) => process.stdout.write(text),
    tracer: records?.tagged({ command: 'demo' }),
  })
  records?.close()
} catch (error) {
  // Errors of the framework say what to do; any other is a fault of the demo.
  if (!isXError(error)) throw error
  process.stderr.write(`${error.code}: ${error.message}\n`)
  process.exitCode = 1
}
