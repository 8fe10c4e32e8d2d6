import { contractOf } from './contract.fake.ts'

await contractOf(['quickjs', 'pyodide'])
