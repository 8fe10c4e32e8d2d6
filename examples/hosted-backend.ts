import type { Artifact } from '@x/interfaces'
import type { Backend, BackendContext, BackendFactory, Job, JobControl, JobResult } from '@x/exec'

/** Settings of the service: plain data, so that the thread of blocking calls gets them too. */
export interface HostedSettings {
  readonly url: string
  readonly token: string
}

const LANGUAGES: ReadonlySet<Job['runtime']> = new Set(['javascript', 'python', 'sh'])

/** Speaks with a service that runs code in a sandbox of its own for each executor. */
function createBackend({ limits, settings }: BackendContext<HostedSettings>): Backend {
  let sandbox: Promise<string> | undefined

  const call = async (method: string, path: string, body?: string, signal?: AbortSignal): Promise<Response> => {
    const response = await fetch(new URL(path, settings.url), {
      method,
      // The token is for this service alone.
      redirect: 'error',
      headers: { authorization: `Bearer ${settings.token}` },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    // It has ended by itself, as one that nobody uses: the next block gets another one, without the files.
    if (response.status === 404) sandbox = undefined
    if (!response.ok) throw new Error(`the service answered ${response.status} to ${method} ${path}`)
    return response
  }

  const open = async (): Promise<string> => {
    // It ends by itself when this program is gone.
    const wanted = { memory: limits.memoryBytes, processes: limits.pids, idleSeconds: 300 }
    const made = await call('POST', 'sandboxes', JSON.stringify(wanted))
    return ((await made.json()) as { id: string }).id
  }

  const run = async (job: Job, control: JobControl): Promise<JobResult> => {
    const { signal } = control
    const place = `sandboxes/${await (sandbox ??= open())}`
    await call('PUT', `${place}/files/${encodeURIComponent(job.file)}`, job.code, signal)
    if (job.saveOnly) return { exitCode: 0, reason: 'saved', savedAs: job.file }
    try {
      const started = await call(
        'POST',
        `${place}/run`,
        JSON.stringify({ language: job.runtime, file: job.file }),
        signal,
      )
      let rest = ''
      for await (const piece of started.body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + piece).split('\n')
        rest = lines.pop()!
        for (const line of lines) {
          const said = JSON.parse(line) as { stream: 'stdout' | 'stderr'; text: string } | { exitCode: number }
          if ('exitCode' in said) return { exitCode: said.exitCode, savedAs: job.file }
          control.onOutput(said)
        }
      }
      throw new Error('the service broke off its answer')
    } finally {
      // It answers when nothing of the job is left.
      if (signal.aborted) await call('POST', `${place}/stop`)
    }
  }

  return {
    run,
    async fault(runtime) {
      if (!LANGUAGES.has(runtime)) return `the service has no ${runtime}`
      try {
        await (sandbox ??= open())
        return null
      } catch (error) {
        // The next time it may answer.
        sandbox = undefined
        return `the service does not answer: ${(error as Error).message}`
      }
    },
    async artifacts() {
      if (!sandbox) return []
      return (await (await call('GET', `sandboxes/${await sandbox}/files`)).json()) as Artifact[]
    },
    async close() {
      try {
        if (sandbox) await call('DELETE', `sandboxes/${await sandbox}`)
      } catch (error) {
        // One that has ended by itself is gone already.
        if (sandbox) throw error
      }
    },
  }
}

/** Runs code in sandboxes of a service. */
export const hosted: BackendFactory<HostedSettings> = {
  specVersion: 1,
  // What the service keeps code from: nothing of it reaches this machine.
  isolation: 'container',
  module: { specifier: 'x-executor-hosted', export: 'hosted', url: import.meta.url },
  createBackend,
}
