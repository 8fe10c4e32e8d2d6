import { relative } from 'node:path'
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

/** Size of hello world, of both sides bundled alike: all of the program and of what it imports, minified, for Node. */
export async function benchSize(): Promise<void> {
  const [ours, bare] = await Promise.all([bundled(HELLO_OURS), bundled(HELLO_BARE)])
  for (const key of ['minified', 'gzipped', 'all'] as const) {
    const name = { minified: ', minified', gzipped: ', minified and gzipped', all: ', with what comes later' }[key]
    report(`hello world${name} / bare`, ours[key] / bare[key], '<= 1.10', `${kb(ours[key])} / ${kb(bare[key])}`)
  }
}

/** Bytes of a bundle. */
interface Size {
  /** What is loaded at the start: the entry and what it imports statically. */
  readonly minified: number
  /** The same, each file compressed. */
  readonly gzipped: number
  /** All files, those that dynamic imports would load included; minified. */
  readonly all: number
}

async function bundled(contents: string): Promise<Size> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    splitting: true,
    outdir: 'out',
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@x/source'],
  })
  const atStart = new Set<string>()
  const visit = (path: string): void => {
    if (atStart.has(path)) return
    atStart.add(path)
    for (const { path: next, kind } of metafile.outputs[path]!.imports) {
      if (kind === 'import-statement' && metafile.outputs[next]) visit(next)
    }
  }
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) if (entryPoint === '<stdin>') visit(path)
  const files = outputFiles.map((file) => ({ ...file, name: relative(process.cwd(), file.path) }))
  const first = files.filter(({ name }) => atStart.has(name))
  if (first.length !== atStart.size) throw new Error('the bundle has files that were not found')
  const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0)
  return {
    minified: sum(first.map((file) => file.contents.length)),
    gzipped: sum(first.map((file) => gzipSync(file.contents).length)),
    all: sum(files.map((file) => file.contents.length)),
  }
}

const kb = (bytes: number): string => `${(bytes / 1024).toFixed(1)} kB`
