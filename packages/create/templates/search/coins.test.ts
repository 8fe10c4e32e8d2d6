import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { findCoins, verifier } from './coins.ts'
import { simulated } from './simulated.ts'

test('the search finds three coins', async () => {
  const { status, answer } = await findCoins(simulated)
  strictEqual(status, 'verified')
  strictEqual(answer, '10 + 10 + 10 = 30')
})

test('the verifier refuses wrong sums and other coins', () => {
  for (const answer of ['16 + 10 + 1 = 30', '15 + 14 + 1 = 30', '10 + 10 + 10', ''])
    strictEqual(verifier(answer), false)
})
