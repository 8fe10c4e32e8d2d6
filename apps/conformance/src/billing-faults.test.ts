import { testBillingFaults } from './billing-faults.fake.ts'

testBillingFaults(['complete', 'streamed'])
