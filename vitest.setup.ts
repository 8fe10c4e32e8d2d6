import { afterAll, afterEach } from 'vitest'
import { forbidNetwork } from './packages/testing/src/network/forbid-network.ts'

// A test that reaches the network fails, even if it swallows the error.
const network = forbidNetwork()
afterEach(() => network.assertUntouched())
afterAll(() => network.restore())
