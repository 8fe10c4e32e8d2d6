import { contractOf } from './contract.fake.ts'

await contractOf(['local', 'bubblewrap', 'unshare'])
