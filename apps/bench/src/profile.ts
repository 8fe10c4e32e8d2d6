/** Sums up a CPU profile: time by package and by function. `node apps/bench/src/profile.ts <file> [number of lines]` */
import { readFileSync } from 'node:fs'

/** A node of V8's profile. */
interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

/** A profile as V8 writes it. */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const PACKAGE_LINES = 15
const [file, lines = '25'] = process.argv.slice(2)
if (file === undefined) throw new Error('cannot read a profile: name its file')
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile
const byId = new Map(nodes.map((node) => [node.id, node]))
const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)))
const self = new Map<ProfileNode, number>()
for (const [i, id] of samples.entries()) {
  const node = byId.get(id)!
  if (node.callFrame.functionName !== '(idle)') add(self, node, Math.max(0, timeDeltas[i]!))
}
const busy = [...self.values()].reduce((a, b) => a + b, 0)
const packages = new Map<string, number>()
const functions = new Map<string, number>()
const inclusive = new Map<string, number>()
for (const [node, time] of self) {
  const { functionName, url } = node.callFrame
  add(packages, functionName.startsWith('(') && url === '' ? functionName : placeOf(url), time)
  add(functions, nameOf(node), time)
  const ancestors = new Set<string>()
  for (let each: ProfileNode | undefined = node; each; each = parents.get(each.id)) {
    if (/node_modules\/|^node:/u.test(each.callFrame.url)) ancestors.add(nameOf(each))
  }
  for (const name of ancestors) add(inclusive, name, time)
}
console.log(`busy ${(busy / 1000).toFixed(0)} ms`)
show('self time by package', packages, PACKAGE_LINES)
show('self time by function', functions, Number(lines))
show('inclusive time by function', inclusive, Number(lines))

function add<K>(sums: Map<K, number>, key: K, time: number): void {
  sums.set(key, (sums.get(key) ?? 0) + time)
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const place = url === '' ? '' : ` ${url.split('/').at(-1)}:${lineNumber + 1}`
  return `${functionName || '(anonymous)'}  ${placeOf(url)}${place}`
}

function placeOf(url: string): string {
  if (url.startsWith('node:internal/deps/undici')) return 'node: undici (global fetch)'
  if (url.startsWith('node:internal/webstreams')) return 'node: web streams'
  if (url.startsWith('node:')) return 'node: other'
  if (!url.includes('node_modules/')) return url === '' ? '(engine)' : 'bench'
  const [scope, name] = url.split('node_modules/').at(-1)!.split('/')
  return scope!.startsWith('@') ? `${scope}/${name}` : scope!
}

function show(title: string, sums: Map<string, number>, count: number): void {
  console.log(`\n${title}`)
  for (const [name, time] of [...sums].toSorted((a, b) => b[1] - a[1]).slice(0, count)) {
    const share = ((100 * time) / busy).toFixed(1).padStart(5)
    console.log(`${share} %  ${(time / 1000).toFixed(0).padStart(7)} ms  ${name}`)
  }
}
