import type { Face } from '@x/interfaces'
import type { Recorded, Trace } from './trace.ts'

/** Folders whose recordings were made in one face and hold for all. */
const FOR_ALL_FACES = /^(?:model|reasoning)\//u

/**
 * The faces in which a trace is replayed, with the recording that holds in each. The streaming face has to give what the
 * asynchronous one gives.
 */
export function facesOf({ name, then }: Trace): [Face, Recorded][] {
  const { sync = FOR_ALL_FACES.test(name) ? then.async : undefined } = then
  const { async = FOR_ALL_FACES.test(name) ? then.sync : undefined } = then
  const faces: [Face, Recorded | undefined][] = [
    ['sync', then.both ?? sync],
    ['async', then.both ?? async],
    ['stream', then.both ?? async],
  ]
  return faces.filter((pair): pair is [Face, Recorded] => pair[1] !== undefined)
}
