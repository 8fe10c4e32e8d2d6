import type { DatabaseSync } from 'node:sqlite'
import { XError } from '@x/kernel'

/** Opens a database in WAL mode, with its folder; processes that hold it for a moment are waited for. */
export function openDatabase(dir: string, file: string): DatabaseSync {
  const { DatabaseSync } = withoutExperimentalWarning(() => process.getBuiltinModule('node:sqlite'))
  if (!DatabaseSync) throw new XError('invalid-state', 'this runtime has no `node:sqlite`: use Node 22.19 or newer')
  process.getBuiltinModule('node:fs').mkdirSync(dir, { recursive: true })
  const db = new DatabaseSync(process.getBuiltinModule('node:path').join(dir, file), { timeout: 5000 })
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('PRAGMA synchronous = NORMAL')
  return db
}

/** Loads `node:sqlite`, which on Node 22 says that it is experimental: swallows that one warning and no other. */
function withoutExperimentalWarning<T>(load: () => T): T {
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
