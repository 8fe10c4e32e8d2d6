/** The part of a test runner that the suite uses; Vitest, Jest and `node:test` with an `expect` have it. */
export interface ContractRunner {
  readonly describe: (name: string, body: () => void) => void
  readonly test: (name: string, body: () => Promise<void>) => void
  readonly expect: (value: unknown) => ContractExpectation
}

/** What the suite says about values. */
export interface ContractExpectation {
  toBe(expected: unknown): void
  toEqual(expected: unknown): void
  toMatchObject(expected: object): void
  toContain(expected: unknown): void
  readonly not: Omit<ContractExpectation, 'not'>
}
