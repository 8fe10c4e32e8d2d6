import type { SpeakerReason } from '@x/interfaces'

/** Texts that tell people why a member of a group speaks next. */
export const SPEAKER_REASONS: Readonly<Record<SpeakerReason, string>> = {
  function: 'chosen by the program',
  executor: 'makes the calls',
  'only-one': 'nobody else may speak',
  round_robin: 'in turn',
  random: 'drawn',
  manual: 'chosen by you',
  auto: 'chosen by the model',
  'next-in-order': 'nobody was chosen, so in turn',
  admin: 'after the interruption',
  initial: 'begins',
  handoff: 'handed over to',
  answered: 'was asked',
}
