import { createCustomExecutor } from '../create-custom-executor.ts'
import { echo, processes } from './backends.fake.ts'

createCustomExecutor(processes)
createCustomExecutor(echo, { settings: { greeting: 'hello' } })
// @ts-expect-error settings are missing
createCustomExecutor(echo)
// @ts-expect-error settings are of another type
createCustomExecutor(echo, { settings: { greeting: 1 } })
