/** Number of colours for agents. */
export const COLOURS = 8

/** Gives agents their colours in the order in which they come. */
export function colourOf(agents: readonly string[], agent: string | null): number | null {
  const at = agent === null ? -1 : agents.indexOf(agent)
  return at === -1 ? null : at % COLOURS
}
