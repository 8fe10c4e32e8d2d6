import { afterAll, afterEach } from 'vitest'
import { forbidNetwork } from './packages/testing/src/network/forbid-network.ts'

// No test reaches the network: also not one that swallows the error.
const network = forbidNetwork()
afterEach(() => network.assertUntouched())
afterAll(() => network.restore())
