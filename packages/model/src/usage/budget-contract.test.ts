import { budgetContract } from '@x/testing/hosting'
import { describe, expect, test } from 'vitest'
import { createBudget } from './budget.ts'

budgetContract(
  { describe, test, expect },
  { name: 'createBudget', create: (options) => ({ budget: createBudget(options), close() {} }) },
)

budgetContract(
  { describe, test, expect },
  {
    name: 'createBudget in a parent of the same limits',
    create: (options) => ({ budget: createBudget({ ...options, parent: createBudget(options) }), close() {} }),
  },
)
