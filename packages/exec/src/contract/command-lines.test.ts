import { COMMAND_LINE_KINDS } from '../executor-matrix.fake.ts'
import { contractOf } from './contract.fake.ts'

// Containers have a file of their own, which runs beside this one.
await contractOf(COMMAND_LINE_KINDS.filter((kind) => kind !== 'container'))
