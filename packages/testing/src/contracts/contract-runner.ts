/** Functions of a test runner that the suites use; Vitest and Jest have them, `node:test` needs an `expect` package. */
export interface ContractRunner {
  readonly describe: (name: string, body: () => void) => void
  readonly test: (name: string, body: () => Promise<void>) => void
  readonly expect: (value: unknown) => ContractExpectation
}

/** Assertions that the suites use. */
export interface ContractExpectation {
  toBe(expected: unknown): void
  toEqual(expected: unknown): void
  toMatchObject(expected: object): void
  toContain(expected: unknown): void
  readonly not: Omit<ContractExpectation, 'not'>
}
