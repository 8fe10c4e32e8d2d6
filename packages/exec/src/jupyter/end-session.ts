import { setTimeout } from 'node:timers/promises'
import type { JupyterServer } from './jupyter-server.ts'

/** Milliseconds after which the server is asked again. */
const AGAIN = 200

/** How often the server is asked. */
const TRIES = 100

/**
 * Ends a session of a server, and its kernel. A server that is starting a kernel anew, because it died, refuses to end it
 * with a status of 500, and is asked again. Never fails: a server that does not answer tells so when it is asked for a
 * kernel, and another client may have ended the session.
 */
export async function endSession(server: JupyterServer, session: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const status = await server.status('DELETE', `api/sessions/${encodeURIComponent(session)}`).catch(() => 0)
    if (status < 500) return
    await setTimeout(AGAIN)
  }
}
