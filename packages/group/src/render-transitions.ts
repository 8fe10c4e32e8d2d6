import { GroupChat } from './group-chat.ts'
import type { GroupPattern, Member } from './pattern/pattern.ts'
import { ConversableAgent } from '@x/agent'
import { sortHandoffs } from './handoff/handoff.ts'
import { isTargetObject, describeTarget, type Target } from './handoff/target.ts'

/**
 * Draws who may follow whom in a group, as a Mermaid flowchart: one box for each member, one arrow for each transition.
 * A group in which anyone may follow anyone gets a remark in place of arrows. A pattern gets an arrow for each handoff,
 * labelled with its text or its time.
 */
export function renderTransitions<C extends object>(group: GroupChat | GroupPattern<C>): string {
  if (!(group instanceof GroupChat)) return renderHandoffs(group as unknown as GroupPattern<never>)
  const { agents, allowedSpeakerTransitionsDict: followers } = group
  const ids = new Map(agents.map((agent, index) => [agent, `m${index}`]))
  const boxes = agents.map((agent) => `  ${ids.get(agent)}["${escapeLabel(agent.name)}"]`)
  const arrows = agents.flatMap((agent) =>
    (followers.get(agent) ?? []).flatMap((follower) =>
      ids.has(follower) ? [`  ${ids.get(agent)} --> ${ids.get(follower)}`] : [],
    ),
  )
  const isComplete = agents.length > 1 && arrows.length === agents.length ** 2
  return ['flowchart LR', ...boxes, ...(isComplete ? ['  %% anyone may follow anyone'] : arrows)].join('\n')
}

/** An arrow of the flowchart. */
interface Arrow {
  readonly from: string
  readonly label: string
  readonly to: Target
  readonly isDashed: boolean
}

/** Draws who may hand over to whom in a pattern. */
function renderHandoffs({ agents, userAgent, groupAfterWork, next }: GroupPattern<never>): string {
  const members = [...agents, ...(userAgent === undefined ? [] : [userAgent])].map(asMember)
  const boxes = new Map<string, string>()
  const shapes: string[] = []
  const boxOf = (key: string, text: string, [open, close]: readonly [string, string]): string => {
    const known = boxes.get(key)
    if (known !== undefined) return known
    const id = `m${boxes.size}`
    boxes.set(key, id)
    shapes.push(`  ${id}${open}"${escapeLabel(text)}"${close}`)
    return id
  }
  for (const { agent } of members) boxOf(agent.name, agent.name, ['[', ']'])
  const user = userAgent === undefined ? null : asMember(userAgent).agent.name
  const idsOf = (from: string, to: Target): string[] => {
    if (!isTargetObject(to)) return [boxOf(describeTarget(to).to, describeTarget(to).to, ['[', ']'])]
    const kind = to['~target']
    if (kind === 'stay') return [boxOf(from, from, ['[', ']'])]
    if (kind === 'revertToUser' && user !== null) return [boxOf(user, user, ['[', ']'])]
    if (kind === 'randomAgent') return to.agents.flatMap((each) => idsOf(from, each))
    const isInside = kind === 'nestedChat' || kind === 'groupChat'
    const shown = kind === 'terminate' ? 'end' : describeTarget(to).to
    return [boxOf(isInside ? `${from}:${kind}` : `:${shown}`, shown, isInside ? ['[[', ']]'] : ['([', '])'])]
  }
  const arrows = members
    .flatMap((member) => arrowsOf(member, next || member.agent.name === user ? null : groupAfterWork))
    .flatMap(({ from, label, to, isDashed }) =>
      idsOf(from, to).map(
        (id) =>
          `  ${boxes.get(from)} ${isDashed ? '-.->' : '-->'}${label === '' ? '' : `|"${escapeLabel(label)}"|`} ${id}`,
      ),
    )
  return [
    'flowchart LR',
    ...shapes,
    ...new Set(arrows),
    ...(next ? ['  %% the pattern decides who follows'] : []),
  ].join('\n')
}

const asMember = (each: ConversableAgent | Member<never>): Member<never> =>
  each instanceof ConversableAgent ? { agent: each } : each

function arrowsOf(member: Member<never>, groupAfterWork: Target | null | undefined): Arrow[] {
  const { agent, handoffs = [], inputGuardrails = [], outputGuardrails = [] } = member
  const { tests, byModel, after } = sortHandoffs(handoffs)
  const from = agent.name
  const isDecided = after.some((each) => each.after === true)
  const rest = groupAfterWork && !isDecided ? [groupAfterWork] : []
  return [
    ...[...inputGuardrails, ...outputGuardrails].map(({ name, to }) => ({
      from,
      to,
      label: `guardrail ${name}`,
      isDashed: true,
    })),
    ...tests.map(({ to, when }) => ({
      from,
      to,
      label: when === true ? 'at once' : 'if a test holds',
      isDashed: false,
    })),
    ...byModel.map(({ to, when }) => ({ from, to, label: when, isDashed: false })),
    ...after.map(({ to, after: time }) => ({
      from,
      to,
      label: time === true ? 'after' : 'after, if a test holds',
      isDashed: true,
    })),
    ...rest.map((to) => ({ from, to, label: 'otherwise', isDashed: true })),
  ]
}

/** Escapes a text for a quoted label. */
const escapeLabel = (text: string): string => text.replaceAll('"', '#quot;').replaceAll('\n', ' ')
