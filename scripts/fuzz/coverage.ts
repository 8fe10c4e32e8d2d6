import { Session } from 'node:inspector/promises'

/** The counters of this process: started again, they would leave out functions that were compiled before. */
let counters: Promise<Session> | undefined

async function startCounters(): Promise<Session> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return session
}

/** Tells which code of the packages and apps has run for the first time, by the counters of V8. */
export class Coverage {
  readonly #session: Session
  readonly #seen = new Set<string>()

  private constructor(session: Session) {
    this.#session = session
  }

  /** Starts to count. What ran before does not count. */
  static async start(): Promise<Coverage> {
    const session = await (counters ??= startCounters())
    await session.post('Profiler.takePreciseCoverage')
    return new Coverage(session)
  }

  /** The number of blocks of code that have run. */
  get size(): number {
    return this.#seen.size
  }

  /** Tells whether code has run since the last call that had never run before. */
  async hasNew(): Promise<boolean> {
    const before = this.#seen.size
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    for (const { url, scriptId, functions } of result) {
      if (!/\/(?:packages|apps)\/[^/]+\/src\//u.test(url)) continue
      for (const { ranges } of functions)
        for (const { count, startOffset, endOffset } of ranges)
          if (count > 0) this.#seen.add(`${scriptId}:${startOffset}:${endOffset}`)
    }
    return this.#seen.size > before
  }
}
