import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { report } from './measure.ts'

const HELLO_OURS = `
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
const model = llmConfig({ providers: [openai], configList: [{ model: 'gpt-5-mini' }] }).createModel()
console.log((await model.create({ messages: [{ role: 'user', content: 'Hello' }] })).choices)`
const HELLO_BARE = `
import OpenAI from 'openai'
const client = new OpenAI()
console.log((await client.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] })).choices)`

/** Size of hello world as one bundle, and the time to import it. */
export async function benchSize(): Promise<void> {
  const [ours, bare] = await Promise.all([bundled(HELLO_OURS), bundled(HELLO_BARE)])
  report('hello world bundled, gzipped / bare', ours / bare, '<= 1.10', `${kb(ours)} / ${kb(bare)}`)
  const load = `import('@x/model'); import('@x/provider-openai')`
  const times = { ours: importTime(load), bare: importTime(`import('openai')`) }
  report(
    'import, clock / bare',
    times.ours / times.bare,
    '',
    `${times.ours.toFixed(0)} ms / ${times.bare.toFixed(0)} ms`,
  )
}

async function bundled(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@x/source'],
  })
  return gzipSync(outputFiles[0]!.contents).length
}

/** Milliseconds to import, least of seven fresh processes. */
function importTime(load: string): number {
  const code = `const start = performance.now(); await Promise.all([${load.replaceAll(';', ',')}]); console.log(performance.now() - start)`
  // What is installed is built: without the condition for sources.
  const args = ['--input-type=module', '-e', code]
  return Math.min(
    ...Array.from({ length: 7 }, () =>
      Number(execFileSync(process.execPath, args, { cwd: import.meta.dirname }).toString()),
    ),
  )
}

const kb = (bytes: number): string => `${(bytes / 1024).toFixed(1)} kB`
