/**
 * Loads `node:sqlite` by a function, such as `() => process.getBuiltinModule('node:sqlite')`. On Node 22 the module says that
 * it is experimental: that one warning is swallowed, and no other.
 */
export function loadSqlite<T>(load: () => T): T {
  const original = Object.getOwnPropertyDescriptor(process, 'emitWarning')!
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void
  process.emitWarning = (...args: [string | Error, ...unknown[]]) => {
    const [warning, type] = args
    const experimental = type === 'ExperimentalWarning' && /sqlite/iu.test(String(warning))
    if (!experimental) emitWarning(...args)
  }
  try {
    return load()
  } finally {
    Object.defineProperty(process, 'emitWarning', original)
  }
}
