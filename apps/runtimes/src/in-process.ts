import { FIRST_CALLS } from './first-calls.ts'
import { PROCESS_CALLS } from './process-calls.ts'
import { tryAll } from './try-all.ts'

// No top-level `await`: a bundle in CommonJS has none.
void tryAll([...FIRST_CALLS, ...PROCESS_CALLS], process.argv[2]!).then((rows) =>
  console.log(`\n${JSON.stringify(rows)}`),
)
