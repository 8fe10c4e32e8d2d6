import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Sockets where an engine may listen, best first: what `DOCKER_HOST` names, then the usual places that exist. */
export function engineSockets(env: Readonly<Record<string, string | undefined>>): string[] {
  const named = env['DOCKER_HOST']
  if (named !== undefined && named !== '') return named.startsWith('unix://') ? [named.slice('unix://'.length)] : []
  const runtime = env['XDG_RUNTIME_DIR']
  const home = env['HOME']
  return [
    '/var/run/docker.sock',
    ...(runtime === undefined ? [] : [join(runtime, 'docker.sock'), join(runtime, 'podman/podman.sock')]),
    '/run/podman/podman.sock',
    ...(home === undefined ? [] : [join(home, '.docker/run/docker.sock')]),
  ].filter((path) => existsSync(path))
}
