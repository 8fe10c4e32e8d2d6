import type { XEvent } from '@x/interfaces'
import type { Facts } from '../replay/trace.ts'
import type { RecordedGroups } from './trace.ts'

/** The people of a trace: they type the lines in order, whoever asks. */
export interface Typist {
  readonly prompts: Facts[]
  /** Where among the events each prompt stood. */
  readonly positions: number[]
  see(event: XEvent): void
  readonly input: (prompt: string, options?: { readonly agent?: string | undefined }) => string
}

/** Makes the people; a number typed for a choice counts the reference's list, and is typed as the place in ours. */
export function typist(lines: readonly string[], recorded: RecordedGroups): Typist {
  const left = [...lines]
  const lists = (recorded.events ?? []).filter(({ type }) => type === 'select_speaker').map(({ agents }) => agents)
  const prompts: Facts[] = []
  const positions: number[] = []
  let ours: readonly string[] = []
  let asked = 0
  let seen = 0
  return {
    prompts,
    positions,
    see(event) {
      seen++
      if (event.type !== 'selectSpeaker') return
      ours = event.agents
      asked++
    },
    input(prompt, { agent } = {}) {
      const isChoice = prompt.startsWith('Number of the next speaker')
      prompts.push(isChoice ? { select: true } : prompt.includes('Allow?') ? { other: true } : { as: agent ?? null })
      positions.push(seen)
      const line = left.shift()
      if (line === undefined) throw new Error(`the human was asked \`${prompt}\` and has no line left to type`)
      if (!isChoice || !/^\d+$/u.test(line)) return line
      const theirs = (lists[asked - 1] ?? []) as readonly string[]
      const name = theirs[Number(line) - 1]
      const place = name === undefined ? -1 : ours.indexOf(name)
      return place === -1 ? '999' : String(place + 1)
    },
  }
}
