import { contractOf } from './contract.fake.ts'

await contractOf(['container'])
