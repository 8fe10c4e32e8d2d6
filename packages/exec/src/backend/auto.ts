import { XError } from '@x/kernel'
import type { Isolation } from '@x/interfaces'
import type { LimitedBackend } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'

/** Language that every sandbox and every image has. */
const UNIVERSAL_RUNTIME: Runtime = 'sh'

/** Remedies, each with the isolation that it brings to a machine. */
const REMEDIES: readonly (readonly [Isolation, string])[] = [
  ['sandbox', 'install bubblewrap (`apt-get install bubblewrap`) on Linux, and allow user namespaces'],
  ['container', 'start Docker or Podman, and let this user reach its socket'],
  ['wasm', 'install Pyodide for Python (`npm i pyodide`)'],
  ['wasm', 'write JavaScript or TypeScript, which runs in WebAssembly everywhere'],
  ['host', "give `createCodeExecutor('local', { trust: 'host' })` for code that is trusted"],
]

/** Says what to do where none of the backends works: for those of one kind, another kind may work here. */
function remediesFor(backends: readonly LimitedBackend[]): string[] {
  const isolations = new Set<Isolation>(['host', ...backends.map(({ isolation }) => isolation)])
  const remedies = REMEDIES.filter(([isolation]) => isolations.has(isolation)).map(([, remedy]) => remedy)
  return isolations.size > 2 ? remedies : ["take `createCodeExecutor('auto')`, which runs what works here", ...remedies]
}

/** Returns the first backend that runs a language; if there is none, a sandbox that works but lacks it. */
async function firstWorking(backends: readonly LimitedBackend[], runtime: Runtime): Promise<LimitedBackend> {
  const faults: string[] = []
  for (const backend of backends) {
    const fault = await backend.fault(runtime)
    if (fault === null) return backend
    faults.push(`${backend.isolation}: ${fault}`)
  }
  for (const backend of backends) {
    // The sandbox works but lacks the language: an ordinary result, for the model to read.
    if (backend.isolation !== 'wasm' && (await backend.fault(UNIVERSAL_RUNTIME)) === null) return backend
  }
  const remedies = remediesFor(backends)
  throw new XError(
    'no-sandbox',
    `cannot run \`${runtime}\`: nothing that this executor may use isolates code here (${faults.join('; ')}): ${remedies.join('; or ')}`,
    { details: { language: runtime, faults, remedies } },
  )
}

/** Runs each language in the first backend that really works; never on the host. */
export function autoBackend(backends: readonly LimitedBackend[]): LimitedBackend {
  const choices = new Map<Runtime, Promise<LimitedBackend>>()
  const usedBackends = new Set<LimitedBackend>()

  /** Returns the backend that runs a language; if there is none, a backend that can at least save a file. */
  const backendFor = (runtime: Runtime): Promise<LimitedBackend> => {
    let choice = choices.get(runtime)
    if (!choice) {
      choices.set(runtime, (choice = firstWorking(backends, runtime)))
      // The next attempt may find more installed.
      choice.catch(() => choices.delete(runtime))
    }
    return choice
  }

  return {
    get isolation(): Isolation {
      return weakest([...(usedBackends.size > 0 ? usedBackends : backends)].map((backend) => backend.isolation))
    },
    async fault(runtime) {
      try {
        return await (await backendFor(runtime)).fault(runtime)
      } catch (error) {
        return (error as Error).message
      }
    },
    async run(job, watch) {
      const backend = await backendFor(job.saveOnly ? UNIVERSAL_RUNTIME : job.runtime)
      usedBackends.add(backend)
      return await backend.run(job, watch)
    },
    async settle(job, id, choice) {
      const backend = await backendFor(job.saveOnly ? UNIVERSAL_RUNTIME : job.runtime)
      return (await backend.settle?.(job, id, choice)) ?? []
    },
    artifacts: async () => (await Promise.all([...usedBackends].map((backend) => backend.artifacts()))).flat(),
    async restart() {
      for (const backend of usedBackends) await backend.restart?.()
    },
    async close() {
      for (const backend of backends) await backend.close()
    },
  }
}

const ISOLATIONS_WEAKEST_FIRST: readonly Isolation[] = ['host', 'sandbox', 'wasm', 'container']

/** Returns the weakest of several isolations. */
const weakest = (isolations: readonly Isolation[]): Isolation =>
  ISOLATIONS_WEAKEST_FIRST.find((isolation) => isolations.includes(isolation)) ?? 'sandbox'
