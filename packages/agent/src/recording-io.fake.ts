import type { Io, XEvent } from '@x/interfaces'

/** An `io` that keeps what is sent and types prepared lines; one asked for more fails. */
export function recordingIo(
  lines: readonly string[] = [],
): Io & { readonly events: XEvent[]; readonly prompts: string[] } {
  const left = [...lines]
  const events: XEvent[] = []
  const prompts: string[] = []
  return {
    events,
    prompts,
    send: (event) => void events.push(event),
    input(prompt) {
      prompts.push(prompt)
      const line = left.shift()
      if (line === undefined) throw new Error(`no line is left for \`${prompt}\``)
      return line
    },
  }
}
