import type { OptionKinds } from '@x/kernel/options'

/** Seconds for which something is waited: timers count no longer ones than some weeks, and shorter ones keep a process busy. */
export const LEASE_SECONDS: OptionKinds<{ lease: number }>['lease'] = {
  expected: 'a number of seconds from 0.01 to 86,400, which is a day',
  takes: (value) => typeof value === 'number' && value >= 0.01 && value <= 86_400,
}
