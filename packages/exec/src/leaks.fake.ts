import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processTree } from './backend/processes.ts'
import { engineAt } from './container/engine.ts'

/** Finds what a test leaves behind. */
export interface LeakCheck {
  /** Returns a line for each leak since the check was made, after time for cleaning up; ignores lines with one of some prefixes. */
  leaks(ignoredPrefixes?: readonly string[]): Promise<string[]>
  /** Restores the directory for temporary files. */
  end(): void
}

/**
 * Watches processes, containers of this process, temporary directories, and resources that keep the event loop alive
 * (listeners, threads, pipes). Meanwhile temporary files go to a directory of the test, since tests run in parallel.
 */
export async function leakCheck(): Promise<LeakCheck> {
  const before = process.env['TMPDIR']
  const home = mkdtempSync(join(tmpdir(), 'x-leaks-'))
  // Code in a sandbox may be another user.
  chmodSync(home, 0o755)
  process.env['TMPDIR'] = home
  const known = new Set(await listResources(home))
  return {
    async leaks(ignoredPrefixes = []) {
      for (let round = 0; ; round++) {
        const extras = (await listResources(home)).filter(
          (line) => !known.has(line) && !ignoredPrefixes.some((prefix) => line.startsWith(prefix)),
        )
        if (extras.length === 0 || round === 200) return extras
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    end() {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
      rmSync(home, { recursive: true })
    },
  }
}

/** Resources of the event loop that only executors make here. */
const LEAKED_RESOURCE = /Server|Worker|Process/u

async function listResources(home: string): Promise<string[]> {
  const active = process.getActiveResourcesInfo().filter((name) => LEAKED_RESOURCE.test(name))
  return [
    ...processTree(process.pid).map((pid) => `process ${pid}`),
    ...readdirSync(home).map((name) => `directory ${name}`),
    ...active.map((name, index) => `${name} ${active.slice(0, index).filter((other) => other === name).length}`),
    ...(await containers()),
  ]
}

async function containers(): Promise<string[]> {
  const host = process.env['DOCKER_HOST']
  if (!host?.startsWith('unix://')) return []
  const filters = encodeURIComponent(JSON.stringify({ label: [`x.exec.process=${process.pid}`] }))
  const { body } = await engineAt(host.slice('unix://'.length)).call(
    'GET',
    `/containers/json?all=true&filters=${filters}`,
  )
  return (body as { Id: string }[]).map(({ Id }) => `container ${Id}`)
}
