import type { Face } from '@x/interfaces'
import type { Recorded, Trace } from './trace.ts'

/** Folders whose recordings were made in one face and hold for all. */
const FOR_ALL_FACES = /^(?:model|reasoning)\//u

/**
 * The faces in which a trace is replayed, with the recording that holds in each. The streaming face has to give what the
 * asynchronous one gives.
 */
export function facesOf({ name, recorded }: Trace): [Face, Recorded][] {
  const { sync = FOR_ALL_FACES.test(name) ? recorded.async : undefined } = recorded
  const { async = FOR_ALL_FACES.test(name) ? recorded.sync : undefined } = recorded
  const faces: [Face, Recorded | undefined][] = [
    ['sync', recorded.both ?? sync],
    ['async', recorded.both ?? async],
    ['stream', recorded.both ?? async],
  ]
  return faces.filter((pair): pair is [Face, Recorded] => pair[1] !== undefined)
}
