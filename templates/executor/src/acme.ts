import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Backend, BackendContext, BackendFactory, Job, JobControl, JobResult } from '@x/exec'

// 1. Settings of your own: plain data, so that the thread of blocking calls gets them too.
/** Settings of Acme's backend. */
export interface AcmeSettings {
  /** Entries of the code's environment. */
  readonly env: Readonly<Record<string, string>>
}

const MIB = 2 ** 20

// 2. One job. A process of this machine stands in for Acme's service: here your backend calls its own.
async function run(job: Job, control: JobControl, context: BackendContext<AcmeSettings>): Promise<JobResult> {
  const memory = `--max-old-space-size=${Math.ceil(job.limits.memoryBytes / MIB)}`
  const child = spawn(process.execPath, [memory, `./${job.file}`], {
    cwd: context.workDir,
    env: { ...context.settings.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8')
    child[stream].on('data', (text: string) => control.onOutput({ stream, text }))
  }
  const stop = (): boolean => child.pid !== undefined && child.kill('SIGKILL')
  control.signal.addEventListener('abort', stop)
  try {
    // Resolve only when nothing of the job is left, also after a stop.
    const [code] = (await once(child, 'close')) as [code: number | null]
    return { exitCode: code ?? 137 }
  } finally {
    control.signal.removeEventListener('abort', stop)
  }
}

// 3. The backend: what can run here, and how. What takes long, such as starting a machine, belongs into `fault`.
function createBackend(context: BackendContext<AcmeSettings>): Backend {
  return {
    fault: async (runtime) => (runtime === 'javascript' ? null : 'Acme runs JavaScript only'),
    run: async (job, control) => await run(job, control, context),
  }
}

/** Runs code on Acme's machines. */
export const acme: BackendFactory<AcmeSettings> = {
  // What it really keeps code from. The stand-in keeps it from nothing.
  isolation: 'host',
  // By this the thread of blocking calls imports the factory.
  module: { specifier: 'x-executor-acme', export: 'acme', url: import.meta.url },
  specVersion: 1,
  createBackend,
}
