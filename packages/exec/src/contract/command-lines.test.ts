import { MACHINE_KINDS } from '../executor-matrix.fake.ts'
import { contractOf } from './contract.fake.ts'

await contractOf(MACHINE_KINDS)
