import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { Cron } from 'croner'
import { defineChat } from './define-chat.ts'
import type { DefinedChat } from './defined-chat.ts'

/** When a program is run again and again. */
export interface Schedule {
  /** Times in the form of cron: minute, hour, day of the month, month and day of the week, such as `0 9 * * 1-5`. */
  readonly cron: string
  /** Name of the time zone by IANA, such as `Europe/Berlin`; default `UTC`. A time that a change of the clock leaves out comes right after it, and one that comes twice is run once. */
  readonly timeZone?: string | undefined
  /**
   * Times that have passed while no worker ran, or the chat could not: the `last` of them is run late (the default), `all` of
   * them are, up to 1,000, or none (`skip`). A time counts as passed after a minute.
   */
  readonly missed?: 'last' | 'all' | 'skip' | undefined
}

const SCHEDULE_KINDS: OptionKinds<Schedule> = {
  cron: kind.text,
  timeZone: kind.text,
  missed: kind.oneOf('last', 'all', 'skip'),
}

const ATTEMPT = 'run a program by a schedule'
/** Lateness from which a time counts as missed. */
const MISSED_AFTER_MS = 60_000
/** Most missed times that are run. */
const MAX_MISSED = 1000
/** Longest identifier of a schedule: those of its chats have a time behind it. */
const MAX_ID_LENGTH = 175

/** The state of a schedule: the last time that is done with, in milliseconds since 1970; null before it begins. */
interface ScheduleState {
  readonly after: number | null
  readonly isPaused: boolean
}

/**
 * Makes a program that submits chats of another one by a schedule. Submit it once: its input is that of each chat, which gets
 * the id of the schedule with the time behind it (`daily/2026-11-28T09:00:00.000Z`), and its tags, tenant and priority. It ends
 * when it is cancelled, or when no time is left; the messages `pause` and `resume` do what they say. `when`: cron in UTC, a
 * {@link Schedule}, or a function that makes one of the input.
 */
export function every<I>(
  when: string | Schedule | ((input: I) => string | Schedule),
  chat: DefinedChat<I>,
): DefinedChat<I, null> {
  const timesFor = (input: I): Times => new Times(typeof when === 'function' ? when(input) : when)
  if (typeof when !== 'function') timesFor(undefined as never)
  const program = defineChat({
    name: `every-${chat.name}`,
    version: '1',
    state: { after: null, isPaused: false } as ScheduleState,
    async run({ id, input, state, now, receive, submit, checkpoint }) {
      if (id.length > MAX_ID_LENGTH) throw refused(`its \`id\` has more than ${MAX_ID_LENGTH} characters`)
      const times = timesFor(input as I)
      let { isPaused } = state
      let after = state.after ?? (await now())
      for (;;) {
        const next = isPaused ? null : times.next(after)
        if (next === null && !isPaused) return null
        const message = await receive(next === null ? {} : { timeout: new Date(next) })
        if (message === undefined || (message === 'pause' && !isPaused)) {
          const passed = times.passed(after, await now())
          for (const time of passed.run)
            await submit(chat, input as never, { id: `${id}/${new Date(time).toISOString()}` })
          after = passed.last
          isPaused = message === 'pause'
        } else if (message === 'resume' && isPaused) {
          isPaused = false
          after = await now()
        }
        await checkpoint({ after, isPaused })
      }
    },
  })
  const check = async (value: unknown): Promise<I> => {
    timesFor((await chat.check(value)) as I)
    // The chats check it, each as it was given.
    return value as I
  }
  return Object.freeze({ ...program, check }) as DefinedChat<I, null>
}

/** The times of a schedule. */
class Times {
  readonly #cron: Cron
  readonly #missed: Schedule['missed']

  constructor(given: string | Schedule) {
    const schedule = typeof given === 'string' ? { cron: given } : given
    checkOptions((schedule as object | undefined) ?? null, SCHEDULE_KINDS, ATTEMPT)
    const { cron, timeZone = 'UTC', missed = 'last' } = schedule
    if (cron === undefined) throw refused('it has no `cron`, such as `0 9 * * 1-5`')
    if (!isTimeZone(timeZone))
      throw refused(`\`${timeZone}\` is no time zone; give a name by IANA, such as \`Europe/Berlin\``)
    this.#missed = missed
    try {
      this.#cron = new Cron(cron, { timezone: timeZone, mode: '5-part' })
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message.replace(/^CronPattern: /u, '') : String(cause)
      throw refused(`\`${cron}\` is no cron of five fields: ${problem}`, cause)
    }
  }

  /** Returns the first time after another, in milliseconds since 1970; null for none. */
  next(after: number): number | null {
    return this.#cron.nextRun(new Date(after))?.getTime() ?? null
  }

  /** Returns the last time that has passed by now, and those that are run. `after` is a time before the first of them. */
  passed(after: number, now: number): { readonly last: number; readonly run: readonly number[] } {
    // Behind the moment itself: the times of cron are whole seconds.
    const latest = this.#cron.previousRuns(this.#missed === 'all' ? MAX_MISSED : 1, new Date(now + 1))
    const all = latest.map((time) => time.getTime()).filter((time) => time > after)
    const run = this.#missed === 'skip' ? all.filter((time) => now - time <= MISSED_AFTER_MS) : all
    return { last: all[0] ?? after, run: run.toReversed() }
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const refused = (problem: string, cause?: unknown): XError =>
  new XError('invalid-argument', `cannot ${ATTEMPT}: ${problem}`, { cause })
