/** Runs the demo; on a simulated model unless a key or a server is given. */
import { parseArgs } from 'node:util'
import { demo } from './demo.ts'

const { values } = parseArgs({
  options: { 'base-url': { type: 'string' }, model: { type: 'string', default: 'gpt-5-mini' } },
})
await demo({
  baseUrl: values['base-url'],
  model: values.model,
  apiKey: process.env['OPENAI_API_KEY'],
  write: (text) => process.stdout.write(text),
})
