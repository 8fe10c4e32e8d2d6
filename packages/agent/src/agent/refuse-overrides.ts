import type { Agent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { AgentOperations } from './operations.ts'

/** Refuses an agent whose class overrides an operation: the other forms of the operation would not do the same. */
export function refuseOverrides(agent: Agent): void {
  for (const name of Object.getOwnPropertyNames(AgentOperations.prototype)) {
    if (name === 'constructor') continue
    const [own, original] = [agent, AgentOperations.prototype] as unknown as readonly Record<string, unknown>[]
    if (own![name] === original![name]) continue
    throw new XError(
      'invalid-argument',
      `\`${agent.constructor.name}\` overrides \`${name}\`, and the other forms of the operation would not do the same: use a reply function, a hook, an option or an \`io\``,
    )
  }
}
