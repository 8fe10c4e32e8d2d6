import { FIRST_CALLS } from './first-calls.ts'
import { NO_FILES, NO_THREADS } from './refusals.ts'
import { tryAll } from './try-all.ts'

/** A worker that tries everything with the server that its address names. */
export default {
  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url).searchParams.get('server')!
    return Response.json(await tryAll([...FIRST_CALLS, ...NO_THREADS, ...NO_FILES], url))
  },
}
