import type { OptionKinds } from '@x/kernel/options'

/** Kind of an option in seconds that end. */
export const SECONDS: OptionKinds<{ readonly seconds: number }>['seconds'] = {
  expected: 'a finite number of seconds above 0',
  takes: (value) => Number.isFinite(value) && value > 0,
}

/** Kind of an option in seconds for which something is waited: timers count no more than some weeks, and shorter ones keep a process busy. */
export const LEASE_SECONDS: OptionKinds<{ readonly lease: number }>['lease'] = {
  expected: 'a number of seconds from 0.01 to 86,400, which is a day',
  takes: (value) => typeof value === 'number' && value >= 0.01 && value <= 86_400,
}
