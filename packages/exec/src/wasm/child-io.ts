/** Input and output of a process that runs code in WebAssembly. */
import { readFileSync, writeSync } from 'node:fs'
import { unpacked, type Parcel } from './parcels.ts'

/** Descriptor on which it says more than what the code prints. */
export const WIRE = 3

/** Reads all parcels that the process was given. */
export const heard = (): Parcel[] => [...unpacked(readFileSync(0))]

/** Writes all of it; the other end may be slower. */
export function send(descriptor: number, data: Uint8Array): number {
  for (let from = 0; from < data.length;) {
    try {
      from += writeSync(descriptor, data, from)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
  return data.length
}
