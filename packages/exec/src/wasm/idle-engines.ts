import type { EngineProcess } from './engine-process.ts'

const MIB = 2 ** 20

/** Processes of all executors that may wait for blocks at once. */
const MOST = 4

/** Bytes that they may hold together, as far as that is known. */
const BYTES = 1024 * MIB

/** Bytes that one may hold. */
const EACH = 512 * MIB

/** Seconds that one waits. */
const PATIENCE = 120

/** Processes that wait, the one that waits longest first. */
const idle = new Map<EngineProcess, NodeJS.Timeout>()

/** Lets a process wait for its next block, as long as there are few: others, which wait longer, are ended for it. */
export function rest(engine: EngineProcess): void {
  if (engine.dead) return
  if (engine.bytes > EACH) return engine.kill()
  engine.hold(false)
  const leave = setTimeout(() => {
    wake(engine)
    engine.kill()
  }, PATIENCE * 1000)
  leave.unref()
  idle.set(engine, leave)
  void engine.whenGone().then(() => wake(engine))
  let bytes = 0
  for (const other of idle.keys()) bytes += other.bytes
  for (const other of idle.keys()) {
    if (idle.size <= MOST && bytes <= BYTES) break
    bytes -= other.bytes
    wake(other)
    other.kill()
  }
}

/** Takes a process that waits back. */
export function wake(engine: EngineProcess): void {
  clearTimeout(idle.get(engine))
  idle.delete(engine)
  engine.hold(true)
}
