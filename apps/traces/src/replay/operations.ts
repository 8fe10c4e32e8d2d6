import type { EventStream, Face, XEvent } from '@x/interfaces'
import { isThenable } from '@x/kernel'

/** Something with operations. */
export type Target = object

/**
 * Calls an operation in a face: `xSync`, `x`, or `xStream`, whose events go to `see`. An operation that never waits is one
 * for all faces.
 */
export async function call(
  target: Target,
  name: string,
  args: readonly unknown[],
  { face, see }: { face: Face; see: (event: XEvent) => void },
): Promise<unknown> {
  if (face === 'sync') {
    const value = open(target, hasOperation(target, `${name}Sync`) ? `${name}Sync` : name)(...args)
    if (isThenable(value)) throw new Error(`\`${name}\` gave a promise to a blocking caller`)
    return value
  }
  if (face === 'async' || !hasOperation(target, `${name}Stream`)) return await open(target, name)(...args)
  const events = open(target, `${name}Stream`)(...args) as EventStream<unknown>
  for await (const event of events) see(event)
  return await events.result
}

/** Whether there is an operation of this name. */
export const hasOperation = (target: Target, name: string): boolean =>
  typeof (target as Record<string, unknown>)[name] === 'function'

/** The operation of this name. */
export function open(target: Target, name: string): (...args: readonly unknown[]) => unknown {
  const operation = (target as Record<string, unknown>)[name]
  if (typeof operation !== 'function') throw new Error(`there is no operation \`${name}\` on ${describe(target)}`)
  return (...args) => (operation as (...args: unknown[]) => unknown).apply(target, [...args])
}

const describe = (target: Target): string =>
  typeof target === 'function' ? `class ${target.name}` : target.constructor.name
