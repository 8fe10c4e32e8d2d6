/**
 * Counts that the load of a machine does not change, of the built packages: files of imports, sizes, requests, changes of
 * hosted chats and conversations, allocations; of the sources the files that a call executes.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { ContestantInfo } from '../../apps/bench/src/contestant.ts'
import { appFolder, ContestantProcess, startServer, type MockServer } from '../../apps/bench/src/host.ts'
import { bundleSize } from '../../apps/bench/src/size.ts'
import { type Params, UNCOLLECTED_FLAGS, type WorkloadName, workloads } from '../../apps/bench/src/workloads.ts'
import { packedFiles } from '../packed-files.ts'
import { readPackages, root, type WorkspacePackage } from '../workspace.ts'

/** Imports the packages that follow, and prints the number of files that this reads. */
const IMPORTING_SOURCE = `import { registerHooks } from 'node:module'
let files = 0
registerHooks({ load: (url, context, load) => ((files += url.startsWith('file:') ? 1 : 0), load(url, context)) })
for (const name of process.argv.slice(1)) await import(name)
console.log(files)`

/** The packages that a first program installs, as in the README of `@x/agent`. */
const FIRST_INSTALL = ['agent', 'model', 'provider-openai']

/** Programs whose bundles are weighed, beside the smallest one of the bench. The last two need one export of many. */
const BUNDLED_PROGRAMS: Readonly<Record<string, string>> = {
  'of two agents': `import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
const llm = llmConfig({ providers: [openai], configList: [{ model: 'mock', apiKey: 'k' }] })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER' })
console.log(await user.initiateChat(new AssistantAgent({ name: 'assistant', llmConfig: llm }), { message: 'hello' }))`,
  'of `tool` alone': `import { tool } from '@x/agent'\nconsole.log(tool)`,
  'of `XError` alone': `import { XError } from '@x/kernel'\nconsole.log(XError)`,
}

/** A sample whose requests and allocations are counted. */
interface CountedSample {
  /** One of the things of the sample. */
  readonly name: string
  readonly workload: WorkloadName
  readonly params: Partial<Params>
  /** Things of the sample, with those that wake connections and caches. */
  readonly asked: number
}

const COUNTED_SAMPLES: readonly CountedSample[] = [
  { name: 'a call', workload: 'call', params: { n: 100 }, asked: 105 },
  { name: 'a failover', workload: 'fallback', params: { n: 60 }, asked: 63 },
  { name: 'a memory hit', workload: 'cache', params: { n: 200 }, asked: 201 },
  { name: 'a stream of 500 chunks', workload: 'stream', params: { n: 2 }, asked: 2 },
  { name: 'a turn of a tool loop', workload: 'tools', params: { n: 2 }, asked: 22 },
  {
    name: 'a turn of a chat of 100',
    workload: 'chat',
    params: { turns: [100], wake: 20, variant: 'fake' },
    asked: 100,
  },
  { name: 'a blocking call', workload: 'blocking', params: { n: 20 }, asked: 21 },
  { name: 'a call of a search', workload: 'search', params: { n: 1 }, asked: 1 },
  { name: 'a hosted chat', workload: 'hosted', params: { chats: 10 }, asked: 10 },
  ...['run', 'state'].map((form) => ({
    name: `a message of a conversation in the form ${form}`,
    workload: 'talk' as const,
    params: { chats: 1, turns: [20], variant: `${form}-counted` },
    asked: 40,
  })),
]

/** Counts everything of the packages as `pnpm build` has left them. */
export async function countFigures(): Promise<Record<string, number>> {
  const packages = readPackages()
  const scratch = mkdtempSync(join(tmpdir(), 'figures-'))
  const server = await startServer(-1)
  try {
    const folder = link(scratch, packages)
    const [imports, hops, bundles, work] = await Promise.all([
      countImports(folder, packages),
      countHops(),
      weighBundles(folder),
      countWork(scratch, server),
    ])
    return { ...imports, ...hops, ...weighPackages(packages), ...bundles, ...work }
  } finally {
    server.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Makes the contestant of the bench of our own packages, with the packages themselves in place of tarballs. */
function link(scratch: string, packages: readonly WorkspacePackage[]): string {
  const folder = join(scratch, 'contestants/x')
  const modules = join(folder, 'node_modules')
  cpSync(join(appFolder, 'src'), join(scratch, 'src'), { recursive: true })
  cpSync(join(appFolder, 'contestants/x/index.mjs'), join(folder, 'index.mjs'))
  writeFileSync(join(scratch, 'package.json'), '{ "private": true, "type": "module" }\n')
  mkdirSync(join(modules, packages[0]!.name, '..'), { recursive: true })
  for (const { name, folder: source } of packages) symlinkSync(join(root, source), join(modules, name), 'junction')
  const zod = realpathSync(join(root, 'packages/agent/node_modules/zod'))
  symlinkSync(zod, join(modules, 'zod'), 'junction')
  return folder
}

async function countImports(cwd: string, packages: readonly WorkspacePackage[]): Promise<Record<string, number>> {
  const scope = packages[0]!.name.split('/')[0]
  const libraries = packages.filter(({ manifest }) => manifest.exports)
  const asked = new Map(libraries.map(({ name }) => [`files of the import of ${name}`, [name]]))
  asked.set(
    'files of the import of a first program',
    FIRST_INSTALL.map((name) => `${scope}/${name}`),
  )
  const counts: Record<string, number> = {}
  for (const [what, names] of asked) {
    const args = ['--input-type=module', '-e', IMPORTING_SOURCE, ...names]
    counts[what] = Number((await promisify(execFile)(process.execPath, args, { cwd })).stdout)
  }
  return counts
}

async function countHops(): Promise<Record<string, number>> {
  const args = ['--conditions=@x/source', join(root, 'apps/composition/bench/hops.ts'), '--json']
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as Record<string, number>
}

/** Weighs what an installer unpacks of each package, and its text compressed, which is nearly a tarball. */
function weighPackages(packages: readonly WorkspacePackage[]): Record<string, number> {
  const weights = packages
    .filter(({ manifest }) => !manifest.private)
    .map((each) => {
      const files = [`${each.folder}/package.json`, `${each.folder}/README.md`, ...packedFiles(each)]
      return { name: each.name, text: Buffer.concat(files.map((file) => readFileSync(join(root, file)))) }
    })
  return {
    ...Object.fromEntries(weights.map(({ name, text }) => [`installed ${name}, kB`, kilobytes(text)])),
    ...Object.fromEntries(weights.map(({ name, text }) => [`packed ${name}, kB`, kilobytes(gzipSync(text))])),
  }
}

async function weighBundles(folder: string): Promise<Record<string, number>> {
  const { info } = (await import(join(folder, 'index.mjs'))) as { readonly info: ContestantInfo }
  const counts: Record<string, number> = {}
  for (const [name, hello] of Object.entries({ 'of the smallest program': info.hello, ...BUNDLED_PROGRAMS })) {
    const { kb, gzip_kb } = await bundleSize(folder, { ...info, hello })
    counts[`bundle ${name}, kB`] = rounded((kb * 1024) / 1000)
    counts[`bundle ${name} in gzip, kB`] = rounded((gzip_kb * 1024) / 1000)
  }
  return counts
}

/** Counts requests, allocations and changes of samples, each after one of its kind. */
async function countWork(scratch: string, server: MockServer): Promise<Record<string, number>> {
  const options = { scratch, core: -1, baseURL: server.baseURL, execArgv: UNCOLLECTED_FLAGS }
  const process = await ContestantProcess.start('x', options)
  const requests: Record<string, number> = {}
  const others: Record<string, number> = {}
  try {
    for (const { name, workload, params: own, asked } of COUNTED_SAMPLES) {
      const params = { variant: '', ...workloads[workload].params, ...own } as Params
      await process.ask({ workload, params })
      await server.stats()
      const sample = await process.ask({ workload, params })
      // Conversations answer in the process.
      const { requests: made } = await server.stats()
      if (workload !== 'talk') requests[`requests of ${name}`] = rounded(made / asked)
      // What a stream allocates depends on the pieces in which it arrives.
      if (workload !== 'stream' && workload !== 'talk')
        others[`allocated by ${name}, kB`] = rounded(sample['heap_kb'] ?? sample['heap_kb_100']! / asked)
      if (workload !== 'hosted' && workload !== 'talk') continue
      others[`changes of ${name}`] = rounded(sample['commits'] ?? sample['commits_20']!)
      others[`characters of the changes of ${name}`] = Math.round(sample['characters'] ?? sample['characters_20']!)
    }
  } finally {
    await process.stop()
  }
  return { ...requests, ...others }
}

function kilobytes({ length }: Uint8Array): number {
  return rounded(length / 1000)
}

/** A number with one digit behind the point. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
