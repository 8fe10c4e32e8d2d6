import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { BackendFactory } from './backend.ts'

// The thread of blocking calls imports this file, so it needs nothing that Node alone does not find.
const moduleOf = (name: string): NonNullable<BackendFactory['module']> => ({
  specifier: 'x-executor-fake',
  export: name,
  url: import.meta.url,
})

/** Runs JavaScript in processes of this machine in the work directory, without isolation. */
export const processes: BackendFactory = {
  isolation: 'host',
  specVersion: 1,
  module: moduleOf('processes'),
  createBackend: ({ workDir }) => ({
    fault: (runtime) => (runtime === 'javascript' ? null : 'only JavaScript runs here'),
    async run({ file }, { signal, onOutput }) {
      const child = spawn(process.execPath, [`./${file}`], { cwd: workDir, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
      for (const stream of ['stdout', 'stderr'] as const) {
        // A program may write a line and its end apart.
        child[stream].setEncoding('utf8').on('data', (text: string) => {
          for (const piece of text.split(/(?=\n)/u)) onOutput({ stream, text: piece })
        })
      }
      const stop = (): boolean => child.pid !== undefined && child.kill('SIGKILL')
      signal.addEventListener('abort', stop)
      const [code] = (await once(child, 'close')) as [number | null]
      signal.removeEventListener('abort', stop)
      return { exitCode: code ?? 137 }
    },
  }),
}

/** Settings of {@link echo}. */
export interface EchoSettings {
  readonly greeting: string
}

/** Keeps files itself, and prints a greeting, the id of the executor and the code, as one piece. */
export const echo: BackendFactory<EchoSettings> = {
  isolation: 'container',
  specVersion: 1,
  module: moduleOf('echo'),
  createBackend({ id, settings }) {
    const files = new Map<string, string>()
    return {
      fault: async () => null,
      run({ file, code, saveOnly }) {
        files.set(file, code)
        return {
          exitCode: 0,
          stdout: saveOnly ? '' : `${settings.greeting} ${id}\n${code}`,
          savedAs: `/remote/${file}`,
        }
      },
      artifacts: () => [...files].map(([name, code]) => ({ name, size: code.length, kind: 'file' as const })),
    }
  },
}

/** Ends its thread with an error outside the job. */
export const crashing: BackendFactory = {
  isolation: 'host',
  specVersion: 1,
  module: moduleOf('crashing'),
  createBackend: () => ({
    fault: () => null,
    async run() {
      const { promise } = Promise.withResolvers<never>()
      setImmediate(() => {
        throw new Error('a fault beside the job')
      })
      return await promise
    },
  }),
}
