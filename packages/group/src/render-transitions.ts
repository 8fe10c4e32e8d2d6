import { GroupChat } from './group-chat.ts'
import type { GroupPattern } from './pattern/pattern.ts'
import { renderHandoffs } from './pattern/render-handoffs.ts'

/**
 * Draws who may follow whom in a group, as a flowchart of Mermaid: one box for each member, one arrow for each transition.
 * Where everyone may follow everyone, it says so in place of the arrows. Of a pattern it draws the handoffs, with their
 * words and times at the arrows.
 */
export function renderTransitions<C extends object>(group: GroupChat | GroupPattern<C>): string {
  if (!(group instanceof GroupChat)) return renderHandoffs(group as unknown as GroupPattern<never>)
  const { agents, allowedSpeakerTransitionsDict: followers } = group
  const ids = new Map(agents.map((agent, index) => [agent, `m${index}`]))
  const boxes = agents.map((agent) => `  ${ids.get(agent)}["${escaped(agent.name)}"]`)
  const arrows = agents.flatMap((agent) =>
    (followers.get(agent) ?? []).flatMap((follower) =>
      ids.has(follower) ? [`  ${ids.get(agent)} --> ${ids.get(follower)}`] : [],
    ),
  )
  const isComplete = agents.length > 1 && arrows.length === agents.length ** 2
  return ['flowchart LR', ...boxes, ...(isComplete ? ['  %% anyone may follow anyone'] : arrows)].join('\n')
}

/** A text inside a quoted label. */
const escaped = (text: string): string => text.replaceAll('"', '#quot;')
