import type { ConversableAgent } from '@x/agent'
import type { Agent } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Finds the first one of `candidates` behind an agent in the order of all, going round; the agent itself comes last. Candidates are members. */
export function nextAgent(
  all: readonly ConversableAgent[],
  agent: Agent,
  candidates: readonly Agent[] = all,
): ConversableAgent {
  const index = all.findIndex((each) => each === agent)
  const strangers = candidates.filter((each) => !all.some((member) => member === each))
  const found = [...all.slice(index + 1), ...all.slice(0, index + 1)].find((each) => candidates.includes(each))
  if (found && strangers.length === 0) return found
  const names = strangers.map(({ name }) => `\`${name}\``).join(', ')
  throw new XError(
    'undefined-next-agent',
    `nobody comes after \`${agent.name}\`: ${names ? `${names} among the candidates is not a member of the group` : 'there are no candidates'}; give members`,
  )
}
