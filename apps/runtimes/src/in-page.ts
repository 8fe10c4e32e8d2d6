import { FIRST_CALLS } from './first-calls.ts'
import { NO_FILES, NO_THREADS } from './refusals.ts'
import { tryAll } from './try-all.ts'

// The page is one of the server's.
const { location } = globalThis as unknown as { location: { origin: string } }
Object.assign(globalThis, { rows: tryAll([...FIRST_CALLS, ...NO_THREADS, ...NO_FILES], location.origin) })
